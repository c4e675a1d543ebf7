#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# count: seen = kept + lost, whatever it is that keeps hits from being counted.
. "$(dirname "$0")/../lib.sh"
need_bpf

hidden=100 plain=40
tracefs=$(sed -n 's/^[^ ]* \([^ ]*\) tracefs .*/\1/p' /proc/mounts | head -n 1)
id=$(cat "$tracefs/events/syscalls/sys_enter_getppid/id")
signals="signal:signal_generate --by sig"

# hits ARGS.. - JSON into $T/hits.json
hits() {
	rm -f "$T/hits.json"
	run "$PMUTRACE" count -o "$T/hits.json" "$@"
	[ "$status" = 0 ] || { echo "# exit status $status" && show; }
}

# sums NAME - seen is what was kept and what was lost, and the rows are what was kept
sums() {
	ok "$1: seen = kept + lost" json "$T/hits.json" '
		my ($kept, $lost) = (sum0(map { values %{$_->{values}} } @{$d->{rows}}), sum0 values %{$d->{losses}});
		print "seen $d->{seen}, kept $d->{kept}, in rows $kept, lost $lost\n";
		die if $d->{seen} != $d->{kept} + $lost || $d->{kept} != $kept'
}

plan 13

# What happens while a program runs: tests/prog/missed.c makes it happen.
# shellcheck disable=SC2086 # words
hits -a $signals -- "$PROG/missed" "$id" $hidden $plain
sums "hits that the kernel runs no program for"
ok "the others are counted" equal "$(json "$T/hits.json" 'join " ", map { values %{$_->{values}} } grep { $_->{key}{sig} == 23 } @{$d->{rows}}')" $plain
# On arm64 (6.12) they do not come so far: perf leaves out what it is hit by inside of a hit of the
# same context, and counts it nowhere (perf_swevent_get_recursion_context()).
if [ "$(uname -m)" != x86_64 ]; then
	skip 1 "kernel: perf does not tell of hits inside of hits"
elif [ "$(printf '6.7\n%s\n' "$(uname -r)" | sort -V | head -n 1)" = 6.7 ]; then
	ok "all of them are told" between $hidden "$(json "$T/hits.json" '$d->{losses}{missed}')" $((hidden + 20))
else
	skip 1 "kernel: does not tell which hits programs missed (6.7)"
fi
# shellcheck disable=SC2086
hits $signals -- "$PROG/missed" "$id" $hidden $plain
sums "of a command"

# Tables that are full all the time, hit on all CPUs by eight threads that go round them. One CPU alone
# is in no race with others: there a tenth of it will do.
n=20000
[ "$(nproc)" != 1 ] || n=2000
hits --keys 8 --by tid,__syscall_nr,cpu syscalls:sys_enter_getppid -- "$PROG/exact" -x -j 8 -g $((n * 2))
sums "tracepoint's record, 8 keys"
ok "all were seen" equal "$(json "$T/hits.json" '$d->{seen}')" $((n * 16))
hits --keys 2 --by tid,ustack "uprobe:$PROG/exact:exact_call" -- "$PROG/exact" -j 8 -f $n
sums "uprobe with stacks, 2 keys"
ok "all were seen" equal "$(json "$T/hits.json" '$d->{seen}')" $((n * 8))
ok "and there was no room for some" json "$T/hits.json" 'die if !$d->{losses}{keys_full}'
hits -a --keys 4 --by tid,cpu --sum runtime sched:sched_stat_runtime -- "$PROG/exact" -x -j 8 -g $n
sums "sums, 4 keys"
hits -a --keys 4 --by tid sched:sched_switch sched:sched_wakeup -- "$PROG/exact" -x -j 8 -g $n
sums "raw tracepoints, 4 keys"
hits -a --keys 4 --by tid,kstack sched:sched_switch -- "$PROG/exact" -x -j 8 -g $n
sums "with stacks of the kernel"
ok "and there was no room for some" json "$T/hits.json" 'die if !$d->{losses}{keys_full}'
