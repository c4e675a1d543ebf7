#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# top: who has ended, and how those are called who go on: processes without their first thread,
# threads that become the process, tasks that go to another cgroup.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_top.sh"
need_bpf

plan 13

# Its first thread ends in the first interval or the second, others come and go all the time.
start "$PROG/outlived"
pid=$started
within 10 sh -c "grep -q heir /proc/$pid/task/*/comm"
start_top -n 4 -d 1 --by thread
kill -USR1 "$pid"
wait_top
ok "threads end" between 2 "$(nr_rows "comm=mayfly ended")" 1000
ok "who makes them does not" equal "$(lives "pid=$pid comm=heir" 1)" ...
ok "the first one has ended" equal "$(nr_rows "tid=$pid ended")" 1
start_top -n 3 -d 1 --columns time,tasks
wait_top
ok "its process lives" equal "$(lives "pid=$pid")" ...
ok "by the name of the first one" equal "$(name_of "pid=$pid")" outlived
start_top -n 2 -d 1
wait_top
ok "also where threads are not told apart" equal "$(lives "pid=$pid")" ..
stop "$pid"

# What /proc says of it no more is known from before.
start "$PROG/outlived"
pid=$started
within 10 sh -c "grep -q heir /proc/$pid/task/*/comm"
start_top -d 600
kill -USR1 "$pid"
# gone: the first thread is a zombie
first_is_gone() {
	grep -q 'State:.Z' "/proc/$pid/status"
}
ok "the first thread has ended" within 10 first_is_gone
sleep 0.2
kill "$pid"
wait "$pid" 2>/dev/null
sleep 0.3 # its last thread goes off the CPU behind that
end_top
ok "then all of it" equal "$(lives "pid=$pid")" x

# Another thread becomes the process: the first one's number is the new program's.
start "$PROG/outlived" -x
pid=$started
within 10 sh -c "[ \$(ls /proc/$pid/task | wc -l) = 2 ]"
start_top -d 600 --by thread
kill -USR1 "$pid"
within 10 grep -q exe "/proc/$pid/comm"
sleep 0.3
end_top
ok "a program begun by another thread has not ended" equal "$(lives "tid=$pid")" .
ok "and is called as it is" equal "$(name_of "tid=$pid")" exe
stop "$pid"

# To another cgroup: what was used before is the old one's.
cgroup2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
cgroup=pmutrace-test.$$
start "$PROG/outlived" -w
pid=$started
if [ -n "$cgroup2" ] && mkdir "$cgroup2/$cgroup.a" "$cgroup2/$cgroup.b" 2>/dev/null &&
	echo "$pid" >"$cgroup2/$cgroup.a/cgroup.procs"; then
	start_top -d 600 --by cgroup
	sleep 0.5
	echo "$pid" >"$cgroup2/$cgroup.b/cgroup.procs"
	sleep 0.5
	end_top
	time_in() {
		sum_of "cgroup_id=$(stat -c %i "$cgroup2/$cgroup.$1")" time
	}
	# Rests of time: 5 ms of 25 are burnt.
	ok "one has the time before" between 2e7 "$(time_in a)" 8e8
	ok "the other the time behind it" between 2e7 "$(time_in b)" 8e8
	ok "and cgroups do not end" equal "$(nr_rows ended)" 0
	stop "$pid"
	rmdir "$cgroup2/$cgroup.a" "$cgroup2/$cgroup.b"
else
	skip 3 "no-cgroup: no cgroup2 hierarchy that can be written to"
fi
