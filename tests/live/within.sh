#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --within: what happens inside of a function is counted and sampled, and nothing else. The program
# makes a known number of system calls inside and outside of it.
. "$(dirname "$0")/../lib.sh"
need_bpf

inside=$PROG/inside
function=$inside:inside_call

# count ARGS.. - the hits of getppid(2), in $n
count() {
	rm -f "$T/out.json"
	run "$PMUTRACE" count syscalls:sys_enter_getppid -o "$T/out.json" "$@"
	n=$(json "$T/out.json" '$d->{kept}')
}

plan 38
count -- "$inside" -n 100 -o 5
ok "without it all are counted" equal "$n" 600
count --within "$function" -- "$inside" -n 100 -o 5
ok "n inside are n" equal "$n" 100
ok "nothing is said of it" test -z "$(grep within "$T/err")"
count --within "$function" -- "$inside" -o 500
ok "none inside are none" equal "$n" 0
count --within "uprobe:$function" -- "$inside" -n 10 -o 5 -j 16
ok "threads have insides of their own" equal "$n" 160
# The kernel watches for no more than 64 returns in each other.
count --within "$function" -- "$inside" -n 10 -o 5 -r 100
ok "100 calls in each other" equal "$n" 10
count --within "$function" -- "$inside" -n 10 -o 5 -b
ok "back to the outermost by longjmp: still inside, until it returns" equal "$n" 11
ok "nothing is said of that" test -z "$(grep within "$T/err")"
count --within "$function" -- "$inside" -n 10 -o 5 -f
ok "a child made inside is inside until it returns" equal "$n" 11
count --within "$function" -- "$inside" -n 10 -o 5 -x
ok "what replaces a program inside is outside" equal "$n" 10

count --strict --within "$function" -- "$inside" -n 10 -o 5 -r 4 -l 7
ok "left by longjmp: outside after the next call" equal "$n" 10
says err "calls that were left are told" '7 calls ended without a return'
ok "--strict: they may have counted for too long" equal "$status" 3

# By event, with a key, and of several programs at once.
count --within "$function" --by comm,pid -- sh -c "'$inside' -n 3 -o 5; '$inside' -n 4 -o 5; :"
ok "of each process" equal "$(json "$T/out.json" 'join " ", sort map { values %{$_->{values}} } @{$d->{rows}}')" "3 4"
count syscalls:sys_exit_getppid --within "$function" -- "$inside" -n 20 -o 5
ok "of several probes each" equal "20 20" \
	"$(json "$T/out.json" 'join " ", map { $_->{raw} } @{$d->{events}}')"
# getpid and getppid; a return probe may be a system call, too: uretprobe(2), number 335.
run "$PMUTRACE" count rawtracepoint:sys_enter --filter 'arg1 != 335' -o "$T/out.json" \
	--within "$function" -- "$inside" -n 20 -o 5
ok "of a raw tracepoint" equal "$(json "$T/out.json" '$d->{kept}')" 40
run "$PMUTRACE" count "uprobe:$inside:outside_burn" --within "$function" -o "$T/out.json" -- \
	"$inside" -n 3 -s 0.01
ok "a function that is called outside alone is not hit" equal "$(json "$T/out.json" '$d->{kept}')" 0
count --within "$function" -u nobody -- "$inside" -n 10 -o 5
ok "all conditions have to hold" equal "$n" 0

pm -F 997 -f folded -o "$T/all.folded" -- "$inside" -n 3 -s 0.4
ok "profile without it: inside" between 100 "$(folded_sum "$T/all.folded" ';inside_call[; ]')" 500
ok "and outside" between 100 "$(folded_sum "$T/all.folded" ';outside_burn[; ]')" 500
pm -F 997 -f folded -o "$T/p.folded" --within "$function" -- "$inside" -n 3 -s 0.4
all=$(folded_sum "$T/p.folded")
ok "profile: the time inside" is_time "$all" 0.4
# One may be taken while the kernel attends to a return, when the function's frame is gone.
ok "all samples are inside" between $((all - 2)) "$(folded_sum "$T/p.folded" ';inside_call[; ]')" "$all"
ok "none is of the other" equal "$(folded_sum "$T/p.folded" ';outside_burn[; ]')" 0
pm -F 997 -f folded -o "$T/p.folded" --within "$inside:outside_burn" -- "$inside" -n 3 -s 0.4
all=$(folded_sum "$T/p.folded")
ok "within another: its time" is_time "$all" 0.4
ok "all samples are in that" between $((all - 2)) \
	"$(folded_sum "$T/p.folded" ';outside_burn[; ]')" "$all"
ok "none is of the first" equal "$(folded_sum "$T/p.folded" ';inside_call[; ]')" 0

# Of the kernel: each sleep is a switch inside of the function that sleeps.
if [ -e /sys/bus/event_source/devices/kprobe ] && grep -q ' hrtimer_nanosleep$' /proc/kallsyms; then
	for within in hrtimer_nanosleep kprobe:hrtimer_nanosleep; do
		run "$PMUTRACE" count sched:sched_switch --filter 'prev_state == 1' -o "$T/out.json" \
			--within $within -- "$PROG/exact" -n 50
		ok "$within: n sleeps are n switches" equal "$(json "$T/out.json" '$d->{kept}')" 50
	done
else
	skip 2 "no-kprobes: kernel without kprobes"
fi

for word in "$inside:inside_*" "$function@100" kretprobe:vfs_read ""; do
	check 2 "refused: --within '$word'" "$PMUTRACE" profile -e cpu-clock --within "$word" 0.1
done
says err "with what to write" '^pmutrace: --within: .*write PATH:FUNCTION'
check 2 "a function that is not there" "$PMUTRACE" count sched:sched_switch --within "$inside:nosuch" 0.1
says err "it is named" "no function 'nosuch'"

# What knows who is inside goes with the process, even if that is killed.
start "$PMUTRACE" count sched:sched_switch --within "$function"
ok "a run that is going to be killed" within 20 grep -q counting "$T/started.out"
maps=$(ids_of "$started" map)
in_maps() {
	for map in $maps; do
		! bpftool map show id "$map" | grep -qw within || return 0
	done
	return 1
}
ok "has a map of who is inside" in_maps
kill -KILL "$started"
wait "$started" 2>/dev/null
forget "$started"
# shellcheck disable=SC2086 # a list
ok "no map stays behind" within 10 none_of map $maps
