#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# top: what is charged to tasks is what the kernel counts itself.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_top.sh"
need_bpf

# near A B PERCENT
near() {
	awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN {
		print a " should be " b " but for " p " %"
		exit !(a != "" && b > 0 && a >= b * (1 - p / 100) && a <= b * (1 + p / 100))
	}'
}
# stat_of FILE EVENT
stat_of() {
	json "$T/$1.json" "(map { \$_->{value} } grep { \$_->{event} eq '$2' } @{\$d->{events}})[0]"
}
# busiest_cpu - its share of an interval
busiest_cpu() {
	of 'List::Util::max(map { my $i = $_; map { $_->{values}{time} / $i->{duration_ns} } @{$i->{rows}} } @$d)'
}
# switches PID - that the kernel has counted, of a process with one thread
switches() {
	awk '/ctxt_switches/ { n += $2 } END { print n }' "/proc/$1/status"
}

plan 32

# Of everything, between one `stat -a` that begins later and ends earlier and one that does neither:
# where the machine does little else these are the same number.
stat_all() {
	"$PMUTRACE" stat -q -a -e page-faults,context-switches --json -o "$T/$1.json" 2>/dev/null &
	all_started="$all_started $!"
	sleep 0.5
}
stat_all outer
outer=$!
start_top -d 600 -e page-faults,context-switches,task-clock
stat_all inner
inner=$!
start "$PROG/pingpong" -n 100000000
timeout 4 "$PROG/spawn" 1000000 /bin/true
stop "$started"
stop "$inner"
end_top
stop "$outer"
# percent N OF
percent() {
	awk -v n="$1" -v of="$2" 'BEGIN { print of * n / 100 }'
}
# counted EVENT N - within 1 %
counted() {
	between "$(percent 99 "$(stat_of inner "$1")")" "$2" "$(percent 101 "$(stat_of outer "$1")")"
}
# A kernel may not tell all switches: see bpf/func_task.bpf.h.
told_or_not() {
	of '$d->[0]{untold} + $d->[0]{events}[1]{value}'
}
# cpu_time - of all CPUs
cpu_time() {
	of '$d->[0]{duration_ns} * $d->[0]{cpus}'
}
ok "nothing is lost" equal "$(lost)" 0
ok "something was seen" between 1000 "$(first kept)" 1e9
ok "page faults are those of stat -a" counted page-faults "$(total page-faults)"
ok "and so are context switches" counted context-switches "$(told_or_not)"
ok "the time is that of all CPUs" near "$(total task-clock)" "$(cpu_time)" 1
# Whoever runs behind a switch that was missed is charged with the one before, or an idle CPU is.
idle=$(of '$d->[0]{events}[0]{idle}')
ok "page faults of the processes are all but those of idle CPUs" equal "$(($(sum_of "" page-faults) + idle))" \
	"$(total page-faults)"
ok "which have none but a task's, behind a switch that was missed" between 0 "$idle" $((200 * $(all_of untold)))
ok "task-clock is time" equal "$(sum_of "" task-clock)" "$(sum_of "" time)"
ok "context-switches are switches" equal "$(sum_of "" context-switches)" "$(sum_of "" switches)"
ok "it says what it costs" between 1 "$(first own_bpf_ns)" "$(first duration_ns)"

# By CPU, and one that has nothing else to do.
last=$(($(nproc) - 1))
start taskset -c $last "$PROG/burn" -s 600
burn=$started
start_top -n 2 -d 0.5 --by cpu
wait_top
ok "a row for each CPU" equal "$(of 'scalar @{$d->[0]{rows}}')" "$(first cpus)"
ok "a CPU is not busier than there is time" between 0 "$(busiest_cpu)" 1.02
ok "the one of the loop is busy" near "$(sum_of cpu=$last time)" "$(all_of duration_ns)" 10
# It need not be switched off the CPU for it. Others may want the CPU, but not each time.
intervals_of_burn() {
	of 'scalar grep { my $i = $_; grep { $_->{key}{pid} == '"$burn"' && $_->{values}{time} > $i->{duration_ns} / 5 } @{$i->{rows}} } @$d'
}
burns_in_both() {
	start_top -n 2 -d 0.5
	wait_top
	[ "$(intervals_of_burn)" = 2 ]
}
tries away burns_in_both
ok "a task that runs on has its time in each interval" equal "$(intervals_of_burn)" 2
stop "$burn"

# Two that wake each other, from their birth until they sleep.
mkfifo "$T/never"
# play ARGS.. - until there is nothing left to do
play() {
	"$PROG/pingpong" "$@" <"$T/never" >"$T/pids" &
	all_started="$all_started $!"
	exec 9>"$T/never"
	within 10 grep -q . "$T/pids"
	sleep 0.1
	read -r ping pong <"$T/pids"
}
# played OPTIONS ARGS.. - in $T/top.json
played() {
	options=$1
	shift
	exec 9>&-
	# shellcheck disable=SC2086 # words
	start_top -d 600 $options
	play "$@"
	end_top
	untold=$(all_of untold)
}
# told N KERNELS - N are as many as the kernel has counted, but for those of the machine that it did
# not tell: few, or it is not the kernel's doing
told() {
	echo "$1 should be $2, of which $untold or less were not told"
	[ "$untold" -le 100 ] && [ "$1" -ge $(($2 - untold)) ] && [ "$1" -le $(($2 + untold)) ]
}
played "" -n 20000 -c 0
ok "switches are those of the kernel" told "$(sum_of "pid=$ping" switches)" "$(switches "$ping")"
ok "and of the other" told "$(sum_of "pid=$pong" switches)" "$(switches "$pong")"
ok "as many as there were rounds" between 20000 "$(switches "$ping")" 100000
exec 9>&-

# Threads of one process: nothing is read at their switches, and they are counted all the same.
played "-e page-faults" -n 20000 -c 0 -t
ok "switches between threads are those of the kernel" told "$(sum_of "pid=$ping" switches)" \
	"$(($(switches "$ping/task/$ping") + $(switches "$ping/task/$pong")))"
ok "pieces of runs are fewer" between 1 "$(first seen)" "$(sum_of "" switches)"
ok "what the threads did is not lost" between 50 "$(sum_of "pid=$ping" page-faults)" 1000
played "--by thread" -n 20000 -c 0 -t
ok "of a thread, too" told "$(sum_of "tid=$pong" switches)" "$(switches "$ping/task/$pong")"
exec 9>&-

# Short lives, by names that nobody else has. Time is not held against stat, whose events end before
# a task does.
forks=10000
[ -z "${CYCLES_PER_INSTRUCTION-}" ] || forks=300 # of the lab (scripts/vm/guest.sh): slow
cp "$PROG/spawn" "$T/spawn$$"
cp /bin/true "$T/true$$"
# In a quarter of a second in which we do not run there may be more of them than there is room for.
nothing_stolen() {
	before_ticks=$(stolen_ticks)
	start_top -d 1 -e page-faults
	"$PMUTRACE" stat -q -e page-faults,task-clock --json -o "$T/stat.json" -- "$T/spawn$$" $forks "$T/true$$" 2>/dev/null
	end_top
	[ $(($(stolen_ticks) - before_ticks)) -lt 20 ]
}
tries stolen nothing_stolen
ours="comm~^(spawn|true)$$\$"
ok "of $forks processes nothing is lost" equal "$(lost)" 0
ok "their page faults are those of stat" near "$(sum_of "$ours" page-faults)" "$(stat_of stat page-faults)" 1
ok "their time is at least that of stat" between "$(percent 99 "$(stat_of stat task-clock)")" "$(sum_of "$ours" time)" 1e12
ok "they are told to have ended" between $((forks / 10)) "$(nr_rows "comm=true$$ ended")" 1e6

# A crowd that wakes up in the same moment.
cp "$PROG/crowd" "$T/crowd$$"
mkfifo "$T/go"
"$T/crowd$$" -n $forks -i 1000000 <"$T/go" >"$T/crowd" &
crowd=$!
all_started="$all_started $crowd"
exec 9>"$T/go"
within 60 grep -q there "$T/crowd"
start_top -d 600
echo >&9
exec 9>&-
within 60 grep -q awake "$T/crowd"
end_top
stop "$crowd"
ok "of $forks that wake together nothing is lost" equal "$(lost)" 0
ok "each of them is there, and who woke them" equal "$(nr_different pid "comm=crowd$$ lives")" $((forks + 1))

# Threads. Each sleeps so often, and the first one waits for the others.
cp "$PROG/exact" "$T/exact$$"
# asleep_often - how many of them there are
asleep_often() {
	of "scalar grep { \$_->{values}{switches} >= 200 } $(picked "comm=exact$$")"
}
start_top -d 600 --by thread
"$T/exact$$" -j 4 -n 200 >/dev/null
end_top
ok "threads have rows" equal "$(asleep_often)" 4
start_top -d 600
"$T/exact$$" -j 4 -n 200 >/dev/null
end_top
ok "a process is the sum of its threads" between 800 "$(sum_of "comm=exact$$" switches)" 1000

check 2 "an unknown event is refused" "$PMUTRACE" top -b -n 1 -d 0.1 -e breakpoint-of-nobody
# A fault is one of page-faults when it begins, and of the others when it ends: of a program that does both meanwhile
# they are as many, of the whole machine one may have begun before.
cp "$PROG/touch" "$T/touch$$"
start_top -d 600 -e '{page-faults,minor-faults,major-faults}'
"$T/touch$$" -n 3000 -k 8
end_top
faults=$(sum_of "comm=touch$$" page-faults)
ok "a group is counted" between 3000 "$faults" 3500
ok "its members at the same moments" equal "$faults" \
	"$(($(sum_of "comm=touch$$" minor-faults) + $(sum_of "comm=touch$$" major-faults)))"
