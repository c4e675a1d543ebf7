#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the kernel refuses is told: the tasks that are not in a count, and what is wrong with an event.
. "$(dirname "$0")/../lib.sh"
need_root
command -v setpriv >/dev/null || skip_all "setpriv: there is none"
[ "$(stat -c %u /proc/1)" = 0 ] || skip_all "init: it is not root's"
plan 34

cp "$PMUTRACE" "$PROG/burn" "$T"
chmod 777 "$T"

# nobody ARGS.. - `pmutrace stat` of a user who may look at their own processes alone
nobody() {
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$T/pmutrace" stat "$@"
}

# of EXPR - evaluates it on the JSON document that was printed
of() {
	json "$T/out" "$1"
}

refused='1 of 2 processes could not be counted: no permission'
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
	start setpriv --reuid=65534 --regid=65534 --clear-groups "$T/burn" -s 300
	own=$started
	within 5 grep -q burn "/proc/$own/comm"
	for pids in "$own,1" "1,$own"; do
		nobody --json -p "$pids" -e task-clock:u,cpu-clock:u 0.4
		ok "-p $pids: what is permitted is counted" equal "$status" 0
		ok "has a value" between 0.02e9 "$(of '$d->{events}[0]{value}')" "$(of '$d->{duration_ns} + 1e6')"
		ok "JSON says what it lacks" equal "$(of '$d->{events}[1]{why} =~ /^'"$refused"'/ ? 1 : 0')" 1
		says err "stderr too, in one sentence for both events" "^pmutrace: task-clock:u, cpu-clock:u: $refused"
		ok "which is one line" equal "$(grep -c 'could not be counted' "$T/err")" 1
	done
	nobody -p "1,$own" -e task-clock:u 0.2
	says out "the table says it below" "^task-clock:u: $refused"
	nobody --strict -p "$own,1" -e task-clock:u 0.2
	ok "--strict: a count that lacks a target is a flaw" equal "$status" 3
	nobody --strict -p "$own" -e task-clock:u 0.2
	ok "--strict: the same without that target is none" equal "$status" 0
	silent err "and nothing is told"

	nobody --per-process --strict -p "$own,1" -e task-clock:u 0.2
	ok "--per-process --strict: a row that was refused is a flaw" equal "$status" 3
	says out "the row that was refused" '-1 +<no permission> msec task-clock:u'
	says out "the other has its value" "burn-$own +[0-9]+\.[0-9]+ msec task-clock:u"
	says err "with the reason" "$refused"
	nobody --per-thread --csv -t "$own,1" -e task-clock:u 0.2
	says out "--per-thread: the row" '^[^,]*,1,1,task-clock:u,ns,no-permission,-,-,'
	says err "--per-thread: the reason" '1 of 2 threads could not be counted'
	run "$PMUTRACE" stat --strict -p "$own,1" -e cpu-clock 0.2
	silent err "root is refused nothing"
else
	skip 21 "paranoid: users without privileges count nothing"
fi

# refuses NAME REGEX ARGS.. - as a sentence that names the culprit
refuses() {
	name=$1 regex=$2
	shift 2
	run "$PMUTRACE" stat "$@" 0.1
	says err "$name" "$regex"
}

if [ -e /sys/bus/event_source/devices/msr/events/tsc ]; then
	refuses "a PMU without modes" "'msr/tsc/k': this PMU counts everything" -e msr/tsc/k
	refuses "a PMU without the event" "its PMU has no such event \(config is 0x1000000\)" -e msr/event=0x1000000/
	nobody -e msr/tsc/ -- true
	says err "a user lacks the permission for it" "no permission for 'msr/tsc/'"
else
	skip 3 "msr: no such PMU"
fi
if [ -e /sys/bus/event_source/devices/power/cpumask ]; then
	run "$PMUTRACE" stat -e power/config=0x2/ -- true
	says err "a PMU that counts for CPUs, and a task" "'power/config=0x2/' counts for .*CPUs.*, not for tasks: use -a"
else
	skip 1 "power: no such PMU"
fi
refuses "a tracepoint that is not there" "there is no tracepoint with the id 999999" -e tracepoint/config=999999/
run "$PMUTRACE" stat -e ftrace:function -- true
if [ "$status" = 1 ] && grep -q nobody "$T/err"; then
	ok "root is not told to become root" equal "$(grep -c 'run as root' "$T/err")" 0
else
	skip 1 "ftrace: functions can be traced"
fi

# Descriptors: how many are needed, the limit, and the way out.
run sh -c "ulimit -n 8; exec '$PMUTRACE' stat -e cs,faults -- true"
ok "too few descriptors" equal "$status" 1
says err "are told" '2 events in 1 place .* need 2 open files, .*the limit is 8: raise it with ulimit -n [0-9]+'
more=$(sed -n 's/.*ulimit -n //p' "$T/err")
run sh -c "ulimit -n $more; exec '$PMUTRACE' stat -e cs,faults -- true"
ok "with as many as it says it works" equal "$status" 0
run sh -c "ulimit -n 8; exec '$PMUTRACE' stat -e cs -- true"
says err "one is one" '1 event in 1 place .* needs 1 open file, '

# Hits that a program keeps to itself: the kernel counts them for nobody.
run_counted() {
	run sh -c "'$PMUTRACE' stat -e task:task_rename -o '$T/out.json' 2 & sleep 1; '$PROG/calls' threads=2,1; wait \$!"
}
start_swallow task task_rename
run_counted
kill "$started"
ok "swallowed hits are counted as nothing" equal "$(json "$T/out.json" '$d->{events}[0]{value}')" 0
says err "which is told" 'BPF programs are attached to task:task_rename: hits that one of them keeps'
run_counted
silent err "without one nothing is told"
