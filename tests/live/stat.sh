#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `pmutrace stat` without a PMU: counts are whole numbers that are known beforehand.
. "$(dirname "$0")/../lib.sh"
need_root
[ -d /sys/kernel/tracing/events ] || skip_all "tracefs: it is not mounted at /sys/kernel/tracing"

# value FILE EVENT - of a total; `null` is -
value() {
	json "$1" "(map { \$_->{value} // '-' } grep { \$_->{event} eq '$2' } @{\$d->{events}})[0]"
}

# stat ARGS.. - leaves $T/out.json
stat() {
	run "$PMUTRACE" stat -o "$T/out.json" "$@"
}

# opened PID - it has its events: stat says nothing when it begins
opened() {
	find "/proc/$1/fd" -lname "*perf_event*" 2>/dev/null | grep -q .
}

exact=$PROG/exact
plan 95
note_pids

# What starting and ending the process costs is in both runs.
stat -e syscalls:sys_enter_getppid,page-faults -- "$exact" -p 0
base=$(value "$T/out.json" page-faults)
stat -e syscalls:sys_enter_getppid,page-faults -- "$exact" -g 1234 -p 500
ok "a command is counted" equal "$status" 0
ok "n system calls are n" equal "$(value "$T/out.json" syscalls:sys_enter_getppid)" 1234
ok "n fresh pages are n more page faults, but for where the process happens to lie" between \
	$((base + 490)) "$(value "$T/out.json" page-faults)" $((base + 510))
silent err "nothing is printed beside the file"
stat -e syscalls:sys_enter_getppid -- "$exact" -g 100 -j 3
ok "threads count with their process" equal "$(value "$T/out.json" syscalls:sys_enter_getppid)" 300
stat -e syscalls:sys_enter_getppid -- sh -c :
shell=$(value "$T/out.json" syscalls:sys_enter_getppid)
stat -e syscalls:sys_enter_getppid -- sh -c "'$exact' -g 10; '$exact' -g 20; :"
ok "children count with their parent" equal "$(value "$T/out.json" syscalls:sys_enter_getppid)" $((shell + 30))
stat -e syscalls:sys_enter_getppid --no-inherit -- sh -c "'$exact' -g 10; '$exact' -g 20; :"
ok "but not with --no-inherit" equal "$(value "$T/out.json" syscalls:sys_enter_getppid)" "$shell"
# A sleep may be over before the task has left the CPU, if that is taken away; not each time.
each_switched() {
	stat -e context-switches -- "$exact" -n 50
	[ "$(value "$T/out.json" context-switches)" -ge 50 ]
}
tries away each_switched
ok "n sleeps are n context switches or a few more" between 50 "$(value "$T/out.json" context-switches)" 70

# Probes: a call of a function, a place in it, a return.
stat -e "uprobe:$exact:exact_call,uretprobe:$exact:exact_call" -- "$exact" -f 2345
ok "uprobe: n calls are n" equal "$(value "$T/out.json" "uprobe:$exact:exact_call")" 2345
ok "uretprobe: n returns are n" equal "$(value "$T/out.json" "uretprobe:$exact:exact_call")" 2345
stat -e "uprobe:$exact:exact_call" -- "$exact" -f 500 -j 4
ok "a traced process can start threads" equal "$status" 0
ok "uprobe: in each of them" equal "$(value "$T/out.json" "uprobe:$exact:exact_call")" 2000
beside sh -c "'$exact' -f 50; sleep 1"
stat -a -e "uprobe:$exact:exact_call,cpu-clock" -- sh -c "$meanwhile"
ok "-a and a command: all that happens while it runs" equal "$(value "$T/out.json" "uprobe:$exact:exact_call")" 50
cpus=$(getconf _NPROCESSORS_ONLN 2>/dev/null || grep -c ^processor /proc/cpuinfo)
ok "on every CPU" between 0.7 "$(json "$T/out.json" "\$d->{events}[1]{value} / \$d->{duration_ns} / $cpus")" 1.05
ok "no probe stays behind" equal "$(probes_left)" 0
stat -e "usdt:$PROG/usdt:shop:visit,usdt:$PROG/usdt:shop:sale" -- "$PROG/usdt" 700
ok "usdt: n visits" equal "$(value "$T/out.json" "usdt:$PROG/usdt:shop:visit")" 700
ok "usdt: a probe in two places with a semaphore is one event" equal \
	"$(value "$T/out.json" "usdt:$PROG/usdt:shop:sale")" 700

# Probes of the kernel: of a command through tracefs, of the machine through the kprobe PMU.
function=$(awk '$3 ~ /^__(x64|arm64)_sys_getppid$/ { print $3; exit }' /proc/kallsyms)
calls=kprobe:$function returns=kretprobe:$function
if [ -n "$function" ] && [ -e /sys/kernel/tracing/kprobe_events ]; then
	stat -e "$calls,$returns" -- "$exact" -g 321
	ok "kprobe: n calls are n" equal "$(value "$T/out.json" "$calls")" 321
	ok "kretprobe: n returns are n" equal "$(value "$T/out.json" "$returns")" 321
	stat -e "kr:$function" -- sh -c "'$exact' -g 10 -j 2; '$exact' -g 20; :"
	ok "kretprobe: with threads and children" equal "$(value "$T/out.json" "kr:$function")" $((shell + 40))
	# shellcheck disable=SC2016 # its parent is pmutrace
	stat -e "$calls" -- sh -c 'grep -c "pmutrace_$PPID[_/]" /sys/kernel/tracing/kprobe_events'
	ok "kprobe: is in tracefs as long as it counts" equal "$(cat "$T/out")" 1
	stat -e "k:$function+0" -- "$exact" -g 33
	ok "kprobe: with an offset" equal "$(value "$T/out.json" "k:$function+0")" 33
	ok "no probe stays behind" equal "$(probes_left)" 0
	check 2 "kprobe: a function that is not there" "$PMUTRACE" stat -e kprobe:no_such_function -- true
	says err "kprobe: is named" no_such_function
else
	skip 8 "no-kprobes: kernel without kprobes"
fi
if [ -n "$function" ] && [ -e /sys/bus/event_source/devices/kprobe ]; then
	"$PMUTRACE" stat -a -o "$T/out.json" -e "{$calls,$returns,syscalls:sys_enter_getppid}" \
		>"$T/out" 2>"$T/err" &
	stat=$!
	all_started="$all_started $stat"
	within 20 opened "$stat"
	sleep 0.7
	"$exact" -g 555 -j 2 >/dev/null
	# Its return is: there the kernel is told how many calls may be under way.
	ok "-a: a kprobe of the PMU is not in tracefs" test -z "$(grep "^p.*pmutrace_${stat}[_/]" /sys/kernel/tracing/kprobe_events)"
	kill -INT "$stat"
	wait "$stat"
	ok "-a: kprobe" between 1110 "$(value "$T/out.json" "$calls")" 1200
	ok "-a: as many returns" equal "$(value "$T/out.json" "$returns")" "$(value "$T/out.json" "$calls")"
	ok "-a: as many as the tracepoint" equal "$(value "$T/out.json" syscalls:sys_enter_getppid)" \
		"$(value "$T/out.json" "$calls")"
	check 1 "-a: a function that is not there" "$PMUTRACE" stat -a -e kprobe:no_such_function 0.1
	says err "-a: is named" no_such_function
else
	skip 6 "no-kprobes: kernel without the kprobe PMU"
fi

# A process that runs already: breakpoints at an address that it names.
mkfifo "$T/go"
"$exact" -w -m 777 -g 55 -j 2 <"$T/go" >"$T/address" 2>&1 &
pid=$!
all_started="$all_started $pid"
exec 3>"$T/go"
within 5 test -s "$T/address"
address=$(cat "$T/address")
"$PMUTRACE" stat -o "$T/out.json" -e "mem:$address/8:w,syscalls:sys_enter_getppid" -p "$pid" \
	>"$T/out" 2>"$T/err" &
stat=$!
all_started="$all_started $stat"
within 20 opened "$stat"
sleep 0.7
echo >&3
exec 3>&-
wait "$stat"
ok "-p: ends with the process" equal $? 0
if has_breakpoints; then
	ok "n stores are n hits of a breakpoint, also of threads started later" equal \
		"$(value "$T/out.json" "mem:$address/8:w")" 1554
else
	skip 1 "$no_breakpoints"
fi
ok "n calls of these threads" equal "$(value "$T/out.json" syscalls:sys_enter_getppid)" 110

stat -a -e "$(seq 8 31 | sed 's|.*|mem:0x&000:w|' | paste -s -d , -)" 0.1
hits=$(json "$T/out.json" 'scalar grep { $_->{state} eq "counted" } @{$d->{events}}')
ok "more breakpoints than the CPU has: some are counted" between 1 "$hits" 23
ok "the others say why" equal \
	"$(json "$T/out.json" 'scalar grep { $_->{state} eq "not-counted" && $_->{why} =~ /no breakpoint/ } @{$d->{events}}')" \
	$((24 - hits))

# Filters are the kernel's.
stat -e syscalls:sys_enter_lseek --filter 'whence == 2' -- true
ok "--filter: accepted" equal "$status" 0
check 2 "--filter: a field that the tracepoint lacks" "$PMUTRACE" stat -e sched:sched_switch \
	--filter 'nosuch == 1' -- true
says err "says which" "'nosuch == 1'.*sched:sched_switch"
check 2 "--filter without tracepoints" "$PMUTRACE" stat -e cs --filter 'x == 1' -- true

# Groups are read together, with the time of one.
stat -e '{page-faults,context-switches,syscalls:sys_enter_getppid}' -- "$exact" -g 10
ok "a group of software events" equal "$(value "$T/out.json" syscalls:sys_enter_getppid)" 10
ok "its members have one time" equal \
	"$(json "$T/out.json" 'scalar keys %{{map { $_->{enabled_ns} => 1 } @{$d->{events}}}}')" 1
ok "and one group" equal "$(json "$T/out.json" 'join ",", map { $_->{group} } @{$d->{events}}')" 0,0,0

# Rows add up to the totals.
stat -e page-faults,context-switches --per-cpu 0.5
ok "--per-cpu: a row for each CPU" equal "$(json "$T/out.json" 'scalar @{$d->{rows}}')" \
	"$(grep -c '^processor' /proc/cpuinfo)"
ok "they add up to the total" equal \
	"$(json "$T/out.json" 'sum0 map { $_->{values}{"page-faults"} } @{$d->{rows}}')" \
	"$(value "$T/out.json" page-faults)"
# A task that goes from CPU to CPU is on none of them all the time: that is no multiplexing.
cpus=$(grep -c '^processor' /proc/cpuinfo)
stat -e syscalls:sys_enter_getppid --per-cpu -- "$exact" -x -g $((cpus * 20))
ok "--per-cpu of a command: counted" equal "$(json "$T/out.json" '$d->{events}[0]{state}')" counted
ok "all of it" equal "$(value "$T/out.json" syscalls:sys_enter_getppid)" $((cpus * 20))
ok "where it was" equal "$(json "$T/out.json" \
	'join ",", keys %{{map { $_->{values}{"syscalls:sys_enter_getppid"} => 1 } @{$d->{rows}}}}')" 20
stat -e syscalls:sys_enter_getppid -C 0 -- "$exact" -x -g $((cpus * 20))
ok "-C 0 of a command: its part" equal "$(value "$T/out.json" syscalls:sys_enter_getppid)" 20
stat -e page-faults --per-socket 0.1
ok "--per-socket" equal "$(json "$T/out.json" 'join ",", sort keys %{$d->{rows}[0]{key}}')" cpus,socket
stat -e page-faults --per-core 0.1
ok "--per-core" equal "$(json "$T/out.json" 'join ",", sort keys %{$d->{rows}[0]{key}}')" core,cpus,socket
start "$PROG/burn" -s 300
within 5 grep -q burn "/proc/$started/comm"
stat -e task-clock --per-process -p "$started,$$" 0.5
ok "--per-process: who burns is on top" equal "$(json "$T/out.json" '$d->{rows}[0]{key}{comm}')" burn
ok "with its pid" equal "$(json "$T/out.json" '$d->{rows}[0]{key}{pid}')" "$started"
stat -e task-clock --per-thread -t "$started" 0.3
ok "--per-thread" equal "$(json "$T/out.json" '$d->{rows}[0]{key}{tid}')" "$started"
stat -e task-clock --comm 'bur*' 0.3
ok "--comm" between 0.02e9 "$(value "$T/out.json" task-clock)" "$(json "$T/out.json" '$d->{duration_ns} + 1e6')"
check 1 "--comm that nobody has" "$PMUTRACE" stat --comm nosuchname 0.1
stat -e cpu-clock -C 0 0.3
ok "-C 0: the time of one CPU" between 0.28e9 "$(value "$T/out.json" cpu-clock)" "$(json "$T/out.json" '$d->{duration_ns} + 1e6')"
stop "$started"

# A cgroup, if this machine has the version 2 hierarchy somewhere to write to.
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group=$mount/pmutrace-stat-$$
if [ -n "$mount" ] && mkdir "$group" 2>/dev/null; then
	start "$PROG/burn" -s 300
	echo "$started" >"$group/cgroup.procs"
	stat -e task-clock --per-cgroup -G "pmutrace-stat-$$" 0.4
	if [ "$status" != 0 ] && [ ! -s "$mount/cgroup.subtree_control" ]; then
		says err "-G: without any controller the reason is told" 'controller is enabled'
		echo +pids >"$mount/cgroup.subtree_control"
		stat -e task-clock --per-cgroup -G "pmutrace-stat-$$" 0.4
	else
		skip 1 "cgroup2: a controller is enabled"
	fi
	ok "-G: counted" equal "$status" 0
	ok "-G: the row's name" equal "$(json "$T/out.json" '$d->{rows}[0]{key}{cgroup}')" "/pmutrace-stat-$$"
	ok "-G: the time of who is in it" between 0.02e9 "$(value "$T/out.json" task-clock)" \
		"$(json "$T/out.json" '$d->{duration_ns} + 1e6')"
	# Some kernels' clocks of cgroups run ahead of what they say was enabled: now and then a part of
	# the time is said to be missing, and perf prints 137 ms of a thread in 100.
	run "$PMUTRACE" stat -x , -e task-clock -G "pmutrace-stat-$$" 0.1
	says out "-G: -x has it as a column" "^[0-9.]+,msec,task-clock,pmutrace-stat-$$,[0-9]+,(100\\.00|[0-9]{1,2}\\.[0-9]{2}),"
	run "$PMUTRACE" stat -x , -e task-clock -G "pmutrace-stat-$$,/" 0.1
	says out "-G: of several too" "^[0-9.]+,msec,task-clock,pmutrace-stat-$$\+/,[0-9]+,(100\\.00|[0-9]{1,2}\\.[0-9]{2}),"
	stop "$started"
	within 5 rmdir "$group"
else
	skip 6 "cgroup2: no hierarchy to write to"
fi

# Intervals add up to the whole.
run "$PMUTRACE" stat -I 100 --json -e syscalls:sys_enter_getppid -o - -- sh -c \
	"'$exact' -g 100; sleep 0.3; '$exact' -g 11"
sed '/^{/!d' "$T/out" >"$T/intervals"
ok "-I: several" between 3 "$(wc -l <"$T/intervals")" 30
ok "-I: adds up" equal "$(while read -r line; do
	echo "$line" >"$T/line.json"
	value "$T/line.json" syscalls:sys_enter_getppid
done <"$T/intervals" | awk '{ n += $1 } END { print n }')" $((shell + 111))

# Repetitions: mean and spread of counts that are known.
stat -r 4 -e syscalls:sys_enter_getppid -- "$exact" -g 25
ok "-r 4: four runs" equal "$(json "$T/out.json" '$d->{events}[0]{runs}{n}')" 4
ok "-r 4: mean" equal "$(json "$T/out.json" '$d->{events}[0]{runs}{mean}')" 25
ok "-r 4: the duration is the mean of theirs" equal \
	"$(json "$T/out.json" 'abs($d->{duration_ns} / 1e9 - $d->{runs}{mean}) < 1e-6 ? "mean" : $d->{duration_ns}')" mean
ok "-r 4: raw is a mean too" equal "$(json "$T/out.json" '$d->{events}[0]{raw}')" 25
ok "-r 4: no spread" equal "$(json "$T/out.json" '$d->{events}[0]{runs}{stddev}')" 0

# Each run calls more often and burns longer than the one before: 10, 20, 30 calls.
cat >"$T/more.sh" <<-END
	echo >>"$T/runs"
	n=\$(wc -l <"$T/runs")
	nice >"$T/nice"
	"$PROG/burn" -s "0.\$n" >/dev/null
	"$exact" -g "\${n}0"
END
stat -r 3 -e syscalls:sys_enter_getppid,task-clock -- sh "$T/more.sh"
ok "-r 3: the value is the mean" equal "$(value "$T/out.json" syscalls:sys_enter_getppid)" $((shell + 20))
ok "-r 3: raw is the mean" equal "$(json "$T/out.json" '$d->{events}[0]{raw}')" $((shell + 20))
ok "-r 3: the command's CPU time is the mean" between -0.04e9 \
	"$(json "$T/out.json" '$d->{user_ns} + $d->{system_ns} - $d->{events}[1]{value}')" 0.04e9
ok "-r 3: no run has our priority" equal "$(cat "$T/nice")" "$(nice)"
stat -r 3 -e task-clock --per-cpu -- "$PROG/burn" -s 0.05
ok "-r 3: rows are means too, ns of a CPU" between -2 \
	"$(json "$T/out.json" '$d->{events}[0]{value} - sum0 map { $_->{values}{"task-clock"} // 0 } @{$d->{rows}}')" 2

# What perf has for scripts.
run "$PMUTRACE" stat -x '\t' -e cs -- true
ok "-x: backslash t is a tab" equal "$(tr -cd '\t' <"$T/err" | wc -c)" 6

# A command is run even if there is nothing to count: `perf stat` in scripts does that.
stat -e cycles,page-faults -- true
if [ "$(json "$T/out.json" '$d->{events}[0]{state}')" = not-supported ]; then
	check 3 "no event is supported: the command is run" "$PMUTRACE" stat -e cycles,instructions -- \
		sh -c "echo ran; exit 3"
	says out "and prints" ran
	says err "the first event has a reason" "^cycles: .*no hardware PMU"
	says err "and the second" "^instructions: .*no hardware PMU"
	run "$PMUTRACE" stat -x , -e cycles,cs -- true
	says err "-x: it ran for all of no time, as perf says" '^<not supported>,,cycles,0,100\.00,,$'
	check 3 "--strict makes that a failure" "$PMUTRACE" stat --strict -e cycles -- true
	check 1 "without a command there is nothing to do" "$PMUTRACE" stat -e cycles,instructions 60
	says err "with a reason for the first" "^  cycles: .*no hardware PMU"
	says err "and the second" "^  instructions: .*no hardware PMU"
else
	skip 9 "pmu: there is one"
fi

# Ends and statuses.
check 7 "the command's status" "$PMUTRACE" stat -e cs -- sh -c 'exit 7'
check 143 "a command that a signal ended" "$PMUTRACE" stat -e cs -- sh -c 'kill -TERM $$'
check 1 "a command that does not exist" "$PMUTRACE" stat -e cs -- /nonexistent
check 2 "kernel events without the kernel are refused" "$PMUTRACE" stat -e context-switches:u -- true
says err "with the reason" 'would count 0'
check 1 "more descriptors than there may be" sh -c "ulimit -n 20; exec '$PMUTRACE' stat -a -e 'sched:*' 0.1"
says err "says how many, and what to do" 'need [0-9]+ open files.*ulimit -n'

# A path that begins where we are.
cd "$PROG" || exit 1
run "$PMUTRACE" stat -e uprobe:./calls:work -o "$T/calls.json" -- ./calls work=1..7
ok "a relative path" equal "$(json "$T/calls.json" '$d->{events}[0]{value}')" 7
run "$PMUTRACE" stat -I 200ms -e dummy -o "$T/dummy.json" 0.6
ok "-I: 0.6 s are three intervals of 200 ms" equal "$(wc -l <"$T/dummy.json")" 3
check 2 "less than a millisecond is none" "$PMUTRACE" stat -I 900us -e dummy 0.1
