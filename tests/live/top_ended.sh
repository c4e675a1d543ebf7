#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# top: who has ended, and how those are called who go on: processes without their first thread,
# threads that become the process, tasks that go to another cgroup.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_top.sh"
need_bpf

# of_rows INTERVALS CONDITION VALUE - of the rows of these intervals for which it is true, joined
of_rows() {
	of "join ',', map { my (\$r, \$k, \$v) = (\$_, \$_->{key}, \$_->{values}); ($2) ? ($3) : () } map { @{\$_->{rows}} } $1"
}

plan 13

# Its first thread ends in the first interval or the second, others come and go all the time.
start "$PROG/outlived"
pid=$started
within 10 sh -c "grep -q heir /proc/$pid/task/*/comm"
start_top -n 4 -d 1 --by thread
kill -USR1 "$pid"
wait_top
ok "threads end" between 2 "$(of 'scalar grep { $_->{key}{comm} eq "mayfly" && $_->{exited} } map { @{$_->{rows}} } @$d')" 1000
ok "who makes them does not" equal "$(of_rows '@$d[1 .. 3]' "\$k->{pid} == $pid && \$k->{comm} eq 'heir'" '$r->{exited} ? "x" : "."')" '.,.,.'
ok "the first one has ended" equal "$(of_rows '@$d' "\$k->{tid} == $pid && \$r->{exited}" '"x"')" x
start_top -n 3 -d 1 --columns time,tasks
wait_top
ok "its process lives" equal "$(of_rows '@$d' "\$k->{pid} == $pid" '$r->{exited} ? "x" : "."')" '.,.,.'
ok "by the name of the first one" equal "$(of_rows '@$d[0]' "\$k->{pid} == $pid" '$k->{comm}')" outlived
start_top -n 2 -d 1
wait_top
ok "also where threads are not told apart" equal "$(of_rows '@$d' "\$k->{pid} == $pid" '$r->{exited} ? "x" : "."')" '.,.'
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
ok "then all of it" equal "$(of_rows '@$d' "\$k->{pid} == $pid" '$r->{exited} ? "x" : "."')" x

# Another thread becomes the process: the first one's number is the new program's.
start "$PROG/outlived" -x
pid=$started
within 10 sh -c "[ \$(ls /proc/$pid/task | wc -l) = 2 ]"
start_top -d 600 --by thread
kill -USR1 "$pid"
within 10 grep -q exe "/proc/$pid/comm"
sleep 0.3
end_top
ok "a program begun by another thread has not ended" equal "$(of_rows '@$d' "\$k->{tid} == $pid" '$r->{exited} ? "x" : "."')" .
ok "and is called as it is" equal "$(of_rows '@$d' "\$k->{tid} == $pid" '$k->{comm}')" exe
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
		of_rows '@$d' "\$k->{cgroup_id} == $(stat -c %i "$cgroup2/$cgroup.$1")" '$v->{time}'
	}
	# Rests of time: 5 ms of 25 are burnt.
	ok "one has the time before" between 2e7 "$(time_in a)" 8e8
	ok "the other the time behind it" between 2e7 "$(time_in b)" 8e8
	ok "and cgroups do not end" equal "$(of 'scalar grep { $_->{exited} } @{$d->[0]{rows}}')" 0
	stop "$pid"
	rmdir "$cgroup2/$cgroup.a" "$cgroup2/$cgroup.b"
else
	skip 3 "no-cgroup: no cgroup2 hierarchy that can be written to"
fi
