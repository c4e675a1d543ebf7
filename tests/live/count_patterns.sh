#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# count on many tracepoints at once: hits are those of each by itself, and what that takes of the
# kernel does not grow with them. tests/prog/every_call.c makes system calls of known numbers, and
# the kernel's own counts (stat) tell which name is which number.
. "$(dirname "$0")/../lib.sh"
need_bpf

every=$PROG/every_call exact=$PROG/exact
n='my ($n) = values %{$_->{values}}; my $k = $_->{key}; '

# count ARGS.. - JSON into $T/out.json; all that was seen has to be told
count() {
	rm -f "$T/out.json"
	run "$PMUTRACE" count -o "$T/out.json" "$@"
	[ "$status" = 0 ] || { echo "# exit status $status" && show; }
	json "$T/out.json" 'die "seen\n" if $d->{seen} != $d->{kept} + sum0 values %{$d->{losses}};
		die "rows\n" if $d->{kept} != sum0 map { values %{$_->{values}} } @{$d->{rows}}' >/dev/null ||
		kept=wrong
}

# rows EXPR - of each row, in order; $k is its key, $n its hits
rows() {
	json "$T/out.json" 'join " ", sort map { '"$n$1"' } @{$d->{rows}}'
}

# holds WHAT - descriptors of that kind that the counting process has
holds() {
	find "/proc/$started/fd" -printf '%l\n' 2>/dev/null | grep -c "$1"
}

# counting ARGS.. - in the background, from now on
counting() {
	rm -f "$T/started.out"
	start "$PMUTRACE" count "$@" 60
	within 60 grep -q 'counting .* for' "$T/started.out"
}

kept=right
plan 30

# What it takes
counting 'syscalls:sys_enter_*'
ok "all system calls: one set of maps" between 1 "$(holds bpf-map)" 20
ok "some programs" between 1 "$(holds bpf-prog)" 16
ok "hardly any events to be closed one by one" between 0 "$(holds perf_event)" 12
ok "and little memory: kB" between 1 "$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$started/status")" "$(memory 60000)"
stop "$started"
counting 'sched:*'
ok "all of the scheduler: one set of maps" between 1 "$(holds bpf-map)" 20
ok "no events" equal "$(holds perf_event)" 0
stop "$started"
counting 'sched:sched_wakeup*' --by 'REC->pid'
ok "members of their records: one set of maps, too" between 1 "$(holds bpf-map)" 20
stop "$started"

# Each call by its number: what the program says is what is counted.
count 'syscalls:sys_enter_*' --by __syscall_nr --rows all -- "$every"
cp "$T/out" "$T/said"
ok "hundreds of calls, each as often as it was made" json "$T/out.json" '
	open my $f, "<", "'"$T/said"'" or die; my %of = <$f> =~ /^(\d+) (\d+)$/mg;
	my ($same, $less) = (0, 0);
	for (@{$d->{rows}}) { '"$n"' my $must = delete $of{$k->{__syscall_nr}} // next;
		if ($n >= $must) { $same++ } else { $less++; print "$k->{__syscall_nr}: $n, not $must\n" } }
	print "$same\n"; die if $less || $same < 200'

# By name: the kernel counts the same, of each tracepoint by itself.
names=
for name in read write newfstat newuname umount sendfile64 pread64 fcntl wait4 kill prlimit64 \
	getrandom statx rseq openat2 faccessat2 futex_waitv cachestat mseal file_setattr getpgid; do
	[ ! -d "/sys/kernel/tracing/events/syscalls/sys_enter_$name" ] || names="$names $name"
done
# shellcheck disable=SC2086 # words
words=$(printf ',syscalls:sys_enter_%s' $names | cut -c2-)
count 'syscalls:sys_enter_*' --rows all -- "$every"
rows '$k->{probe} . "=" . $n' | tr ' ' '\n' >"$T/ours"
run "$PMUTRACE" stat -e "$words" -o "$T/stat.json" -- "$every"
wrong=
for name in $names; do
	theirs=$(json "$T/stat.json" 'join "", map { $_->{event} eq "syscalls:sys_enter_'"$name"'" ? $_->{value} : () } @{$d->{events}}')
	grep -qx "syscalls:sys_enter_$name=$theirs" "$T/ours" || wrong="$wrong $name"
done
ok "names: as the kernel's own tracepoints count" equal "$wrong" ""
ok "of which there are some" between 10 "$(echo "$names" | wc -w)" 30

# Nothing but the machine's own calls
count 'syscalls:sys_enter_?e*' -- "$every" -c 1000 39
if grep -q compat "$T/out"; then
	ok "32-bit code's calls are none of these" equal "$(rows '$k->{probe} =~ /_(semget|getppid|getpgrp)$/ ? $n : ()')" ""
else
	skip 1 "no-compat: kernel without int 0x80, or another architecture"
fi
count 'syscalls:sys_enter_get*' 'syscalls:sys_exit_get*' -- "$exact" -g 1234
ok "both ends" equal "$(rows '$k->{probe} =~ /_getppid$/ ? "$k->{probe}=$n" : ()')" \
	"syscalls:sys_enter_getppid=1234 syscalls:sys_exit_getppid=1234"
count syscalls:sys_enter_getppid 'syscalls:sys_enter_get*' --by comm,probe -- "$exact" -g 321
ok "one that two words stand for is counted by both" equal \
	"$(json "$T/out.json" 'join " ", map { $_->{value} >= 321 ? "yes" : "no" } @{$d->{events}}')" "yes yes"
ok "and no more" equal "$(rows '$k->{probe} =~ /_getppid$/ ? "$k->{comm}=" . sum0(values %{$_->{values}}) : ()')" exact=642

# Fields, of which each call has its own places
dd=$(command -v dd)
count 'syscalls:sys_exit_*' --by comm,ret --filter 'ret == 4321' --sum ret -- \
	"$dd" if=/dev/zero of=/dev/null bs=4321 count=11
ok "results, summed up" equal "$(rows '"$k->{comm} $k->{ret} $n $_->{metrics}{ret}{sum}"')" "dd 4321 22 95062"
check 2 "a field that one of them lacks" "$PMUTRACE" count 'syscalls:sys_enter_re*' --by fd 0.1
says err "is refused by its name" 'has no field'
pair='syscalls:sys_enter_read,syscalls:sys_enter_write,syscalls:sys_enter_pread64,syscalls:sys_enter_pwrite64'
count "$pair" --by probe,count --filter 'count == 4321 && comm == "dd"' -- \
	"$dd" if=/dev/zero of=/dev/null bs=4321 count=11
ok "arguments and a filter" equal "$(rows '"$k->{probe} $k->{count} $n"')" \
	"syscalls:sys_enter_read 4321 11 syscalls:sys_enter_write 4321 11"
at='syscalls:sys_enter_openat,syscalls:sys_enter_unlinkat,syscalls:sys_enter_mkdirat,syscalls:sys_enter_execve'
count "$at" --by probe,comm --filter 'comm == "cat"' -- cat /dev/null
ok "four by name" between 1 "$(rows '$k->{probe} =~ /openat$/ ? $n : ()')" 100
paths='syscalls:sys_enter_openat,syscalls:sys_enter_execve,syscalls:sys_enter_chdir,syscalls:sys_enter_chroot'
count "$paths" --by filename:ustr --filter 'filename:ustr == "/dev/null"' -- sh -c 'cat /dev/null; (cd /)'
ok "strings at other places in each" equal "$(rows '(values %$k)[0] . "=$n"')" "/dev/null=1"
count 'syscalls:sys_exit_getp*' --hist ret --filter 'ret > 0 && comm == "exact"' -- "$exact" -g 50
ok "histograms" equal "$(rows '$k->{probe} =~ /getppid/ ? sum0(map { $_->{count} } @{$_->{hist}}) : ()')" 50

# Whose, and from where
count 'syscalls:sys_enter_get*' -u nobody --by uid,probe -- sh -c \
	"'$exact' -g 7; setpriv --reuid=65534 --clear-groups '$exact' -g 3"
ok "of a user" equal "$(rows '$k->{probe} =~ /getppid/ ? "$k->{uid}=$n" : ()')" "65534=3"
"$exact" -g 200000000 >/dev/null &
busy=$!
all_started="$all_started $busy"
count 'syscalls:sys_enter_get*' -- "$exact" -g 17
ok "of a command, beside others" equal "$(rows '$k->{probe} =~ /getppid/ ? $n : ()')" 17
count 'syscalls:sys_*_getppid' 'syscalls:sys_*_getpgid' -p "$busy" --by tid 0.3
ok "of a process" json "$T/out.json" 'die if !@{$d->{rows}} || grep { $_->{key}{tid} != '"$busy"' } @{$d->{rows}}'
stop "$busy"
count 'syscalls:sys_enter_getp*' --by probe,stack -- "$PROG/calls" getppid=6
ok "stacks of both halves" equal "$(rows '$k->{probe} =~ /getppid/ ?
	(grep({ $_ eq "getppid_often" } @{$k->{stack}}) ? "called " : "") . ($k->{stack}[-1] =~ /bpf/ ? "bpf" : $n) : ()')" \
	"called 6"

# Others than system calls
count 'sched:sched_process_*' --by 'TASK->comm,probe' --filter 'TASK->comm == "exact"' -- "$exact" -j 7
ok "raw tracepoints: 7 threads and the program end" equal "$(rows '$k->{probe} =~ /process_exit$/ ? $n : ()')" 8
count 'sched:sched_process_*' -a --by probe -- "$exact" -j 7
ok "without a key" between 8 "$(rows '$k->{probe} =~ /process_exit$/ ? $n : ()')" 1000
count 'sched:sched_wakeup,sched:sched_waking,sched:sched_switch' --by probe \
	--filter 'TASK->comm == "exact"' -- "$exact" -n 10
ok "with a filter of the task's" between 10 "$(rows '$k->{probe} =~ /switch$/ ? $n : ()')" 100
count 'signal:*' --by probe,sig --filter 'sig == 23' -- sh -c 'trap "" URG; for i in 1 2 3; do kill -URG $$; done'
ok "members of records" equal "$(rows '$k->{probe} =~ /generate$/ ? "$k->{sig}=$n" : ()')" "23=3"

ok "in all of these seen = kept + lost, and rows add up" equal $kept right
