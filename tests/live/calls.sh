#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# func: calls of functions, their time and their events, as tests/prog/probed.c tells them.
. "$(dirname "$0")/../lib.sh"
need_bpf

probed=$PROG/probed

# func ARGS.. - JSON into $T/calls.json
func() {
	run_func "$T/calls.json" "$@"
}
of() {
	json "$T/calls.json" "$1"
}
# row FUNCTION EXPR - $_ is its row, $m its metrics
row() {
	of "(\$_) = grep { \$_->{key}{func} eq '$1' } @{\$d->{rows}}; my \$m = \$_->{metrics}; $2"
}
calls='(values %{$_->{values}})[0]'

plan 66

func "$probed:paging" "$probed:paging_inner" -e page-faults,context-switches -- "$probed" -n 50
ok "50 calls" equal "$(row paging "$calls")" 50
ok "100 calls" equal "$(row paging_inner "$calls")" 100
ok "faults of a call: 4 + 6 pages" equal "$(row paging '$m->{"page-faults"}{min}')" 10
ok "and some of its code at first" between 500 "$(row paging '$m->{"page-faults"}{sum}')" 505
ok "its own" between 200 "$(row paging '$m->{"page-faults:self"}{sum}')" 205
ok "of what it calls: 6 or 2" equal "$(row paging_inner '"$m->{q(page-faults)}{min} $m->{q(page-faults)}{sum}"' | cut -c1-4)" "2 40"
ok "time is own time and that of calls" json "$T/calls.json" \
	'my %r = map { $_->{key}{func} => $_->{metrics} } @{$d->{rows}};
	die if $r{paging}{self}{sum} >= $r{paging}{time}{sum}'
ok "on and off the CPU are all of it" equal \
	"$(row paging '$m->{time}{sum} - $m->{"on-cpu"}{sum} - $m->{"off-cpu"}{sum}')" 0
ok "seen = kept + losses" equal "$(of '$d->{seen} - $d->{kept} - List::Util::sum0(values %{$d->{losses}})')" 0

# Another task wants the same CPU: what it does is not in the calls.
start taskset -c 0 "$PROG/burn" -s 60
func "$probed:paging" -e page-faults,context-switches -- taskset -c 0 "$probed" -b -n 2000
# Among so many switches one may be untold each time, which loses its call: the others have all of theirs.
kept=$(row paging "$calls")
ok "beside a busy task, each call is there, or lost by an untold switch" equal \
	"$kept + $(of '$d->{losses}{switch_untold} // 0') = $(of '$d->{seen}')" "$kept + $((2000 - kept)) = 2000"
ok "hardly one is lost" between 1998 "$kept" 2000
ok "each has as many faults" between $((10 * kept)) "$(row paging '$m->{"page-faults"}{sum}')" $((10 * kept + 5))
ok "and none has fewer" equal "$(row paging '$m->{"page-faults"}{min}')" 10
ok "it was switched out meanwhile" between 1 "$(row paging '$m->{"context-switches"}{sum}')" 100000
ok "which is time off the CPU" between 1000 "$(row paging '$m->{"off-cpu"}{max}')" 1e10
for pid in $all_started; do
	stop "$pid"
done
all_started=

# A sleep may be over before the task has left the CPU, if that is taken away; not each time.
each_switched() {
	func "$probed:napping" -e context-switches -- "$probed" -n 10
	[ "$(row napping '$m->{"context-switches"}{sum} >= 10 && $m->{"off-cpu"}{min} >= 2000000 || 0')" = 1 ]
}
tries away each_switched
ok "a sleeper sleeps" between 2000000 "$(row napping '$m->{"off-cpu"}{min}')" 1e10
ok "and is switched out once a call" between 10 "$(row napping '$m->{"context-switches"}{sum}')" 20
ok "and has little time of its own" json "$T/calls.json" \
	'my $m = $d->{rows}[0]{metrics}; die if $m->{"on-cpu"}{sum} > $m->{"off-cpu"}{sum}'

# A switch that is not told costs the call that it was in, and no other.
# This machine's kernel may leave out one more.
no_more_untold() {
	run "$PMUTRACE" func "$PROG/untold:told" "$PROG/untold:untold" -o "$T/calls.json" -- "$PROG/untold"
	[ "$(of '$d->{losses}{switch_untold} // 0')" -le 1 ]
}
tries untold no_more_untold
ok "an untold switch: the call is lost" equal "$(of '"$d->{seen} $d->{losses}{switch_untold}"')" "21 1"
ok "the others are not" equal "$(row told "$calls")" 20
ok "nor is their time off the CPU" between 20000000 "$(row told '$m->{"off-cpu"}{sum}')" 1e10

func "$probed:recurse" -- "$probed" -n 3
ok "recursion: a call each" equal "$(row recurse "$calls")" 30
ok "the outer ones take longer" json "$T/calls.json" \
	'my $m = $d->{rows}[0]{metrics}; die if $m->{time}{max} <= $m->{time}{min} || $m->{self}{sum} >= $m->{time}{sum}'

func "$probed:leap" "$probed:leap_often" -- "$probed" -n 4
ok "left by longjmp: lost" equal "$(of 'List::Util::sum0(values %{$d->{losses}})')" 12
ok "and seen" equal "$(of '$d->{seen}')" 16
ok "who called is not confused" equal "$(row leap_often "$calls")" 4

func "$probed:probed_call" --by arg0 -- "$probed" -n 2
ok "by argument" equal "$(of 'join " ", sort map { $_->{key}{arg0} . "=" . (values %{$_->{values}})[0] } @{$d->{rows}}')" \
	"0=2 1=2 2=2 3=2 4=2 5=2 6=2 7=2 8=2 9=2"
func "$probed:probed_call" --by ret --filter 'ret < 0' -- "$probed"
ok "by result" equal "$(of 'join " ", sort map { $_->{key}{ret} } @{$d->{rows}}')" "-20 -40 -60 -80"
func "$probed:probed_call" --filter 'arg0 > 6' -- "$probed"
ok "a filter of the entry" equal "$(of '$d->{seen}')" 3
func "$probed:probed_call" --by ustack -- "$probed"
ok "by caller" equal "$(of 'join " ", sort map { $_->{key}{stack}[-1] . "=" . (values %{$_->{values}})[0] } @{$d->{rows}}')" \
	"caller_a=5 caller_b=5"
func "$probed:caller_?" -- "$probed"
ok "patterns" equal "$(of 'join " ", sort map { $_->{key}{func} . "=" . (values %{$_->{values}})[0] } @{$d->{rows}}')" \
	"caller_a=5 caller_b=5"
# Whoever is interrupted for so long is slow as well.
naps_alone() {
	func "$probed:napping" "$probed:recurse" --only-slow 1ms -- "$probed"
	[ "$(of 'join " ", map { $_->{key}{func} } @{$d->{rows}}')" = napping ]
}
tries away naps_alone
ok "--only-slow" equal "$(of 'join " ", map { $_->{key}{func} } @{$d->{rows}}')" napping
says err "tells how many were not" '10 calls'
func "$probed:napping" --hist time -- "$probed" -n 4
ok "--hist time: 2 ms and more" equal "$(of '$d->{rows}[0]{hist}[0]{from} >= 1048576 ? 1 : 0')" 1
ok "as many as there are calls" equal "$(of 'List::Util::sum0(map { $_->{count} } @{$d->{rows}[0]{hist}})')" 4

func "usdt:$PROG/usdt:shop:visit" 2>/dev/null -- "$PROG/usdt" 3
ok "a probe alone is no call" test "$status" != 0
# One place, and two of the other end.
func --from "usdt:$PROG/usdt:shop:visit" --to "usdt:$PROG/usdt:shop:sale" -- "$PROG/usdt" 100
ok "from one static probe to another, wherever that is" equal "$(of '$d->{kept}')" 100
func --from "usdt:$PROG/usdt:shop:sale" --to "usdt:$PROG/usdt:shop:visit" -- "$PROG/usdt" 100
ok "and back: the last is left behind" equal "$(of '"$d->{seen} $d->{kept} $d->{losses}{exit}"')" "100 99 1"
func --from "usdt:$PROG/usdt:shop:visit" --to "usdt:$PROG/usdt:shop:sale" --by arg0 --filter 'arg0 < 4' -- \
	"$PROG/usdt" 100
ok "by an argument of its beginning" equal "$(of 'join " ", sort map { $_->{key}{arg0} . "=" . (values %{$_->{values}})[0] } @{$d->{rows}}')" \
	"0=1 1=1 2=1 3=1"
func --from syscalls:sys_enter_nanosleep --to syscalls:sys_exit_nanosleep --by comm -- "$PROG/exact" -n 6
[ "$(of '$d->{seen}')" = 0 ] &&
	func --from syscalls:sys_enter_clock_nanosleep --to syscalls:sys_exit_clock_nanosleep --by comm -- "$PROG/exact" -n 6
ok "from one tracepoint to another" equal "$(of '$d->{seen}')" 6
ok "takes what the sleep takes" between 100000 "$(of '$d->{rows}[0]{metrics}{time}{min}')" 1e10
func --from sched:sched_waking --to sched:sched_wakeup --match 'REC->pid' --by 'TASK->comm' -a 0.3
ok "what a field tells apart" between 1 "$(of '$d->{seen}')" 10000000

# Two starts in a row, 500 times: the second one counts. No interval is in another.
from=uprobe:$PROG/calls:work to=uprobe:$PROG/calls:text_call
# shellcheck disable=SC2046 # 500 times two words
func --from "$from" --to "$to" -e page-faults -- "$PROG/calls" $(seq -f "work=%g,0 null" 500)
ok "a start without its end is replaced by the next" equal \
	"$(of '"$d->{seen} $d->{kept} $d->{losses}{replaced}"')" "1000 500 500"
func --from "$from" --to "$to" --match arg0 -- "$PROG/calls" work=0,1,0,2,0 null
ok "by a field as well" equal "$(of '"$d->{seen} $d->{kept} $d->{losses}{replaced}"')" "3 1 2"
says err "starts without an end are told" '2 calls had not returned'

# The same number in two processes at once: who ends whose is not known, but each start is told
# once, and takes no longer than all of it.
func --from syscalls:sys_enter_getppid --to syscalls:sys_exit_getppid --match __syscall_nr -- \
	sh -c "'$PROG/calls' getppid=200000 & '$PROG/calls' getppid=200000; wait"
unfinished=$(sed -n 's/.* \([0-9]*\) calls\{0,1\} had not returned.*/\1/p' "$T/err")
# A shell may ask for its parent once.
ok "each of 400000 starts is an interval or lost" between 400000 "$(($(of '$d->{seen}') + ${unfinished:-0}))" 400001
ok "which is the sum" equal "$(of '$d->{seen} - $d->{kept} - List::Util::sum0(values %{$d->{losses}})')" 0
ok "there was room" equal "$(of '$d->{losses}{tasks_full} // 0')" 0
ok "none is longer than the run" between 0 "$(of '$d->{rows}[0]{metrics}{time}{max}')" "$(of '$d->{duration_ns}')"
func --from syscalls:sys_enter_getppid --to syscalls:sys_exit_getppid --match __syscall_nr --only-slow 1m -- \
	sh -c "'$PROG/calls' getppid=100000 & '$PROG/calls' getppid=100000; wait"
ok "none takes a minute" equal "$(of '$d->{kept}')" 0

check 2 "a name of the task and of both records" "$PMUTRACE" func --from sched:sched_waking --to sched:sched_wakeup \
	--match pid 0.1
says err "is refused with both ways to write it" 'TASK->pid .*REC->pid'
check 2 "of the task and one of them" "$PMUTRACE" func --from sched:sched_waking --to sched:sched_switch --match pid 0.1
says err "is told" 'which sched:sched_switch has not'
check 2 "of one of them" "$PMUTRACE" func --from sched:sched_waking --to sched:sched_switch --match target_cpu 0.1
says err "is told as well" "sched:sched_switch has no field 'target_cpu'"
check 2 "events are tasks', not a field's" "$PMUTRACE" func --from sched:sched_waking --to sched:sched_wakeup \
	--match 'REC->pid' -e page-faults 0.1

# A thread that ends, a program that is replaced inside of a function.
func "$PROG/reexec:main" -- "$PROG/reexec"
ok "replaced meanwhile" test "$status" = 0
func "$probed:main" -- "$probed"
ok "main returns" equal "$(of '$d->{seen}')" 1

# main() waits in read_steps() when the time is over.
run "$PMUTRACE" func "$PROG/calls:main" "$PROG/calls:read_steps" --duration 1 -- sh -c 'sleep 5 | "$PROG/calls" -'
says err "each call that goes on at the end is told" '^pmutrace: 2 calls had not returned'

run "$PMUTRACE" func "$probed:paging" -e page-faults -- "$probed" -n 10
says out "a table for people" 'FUNC .*CALLS'
says out "the function in it" 'paging'
check 2 "an unknown program" "$PMUTRACE" func "/nosuch:main" 0.1
check 2 "an unknown function" "$PMUTRACE" func "$probed:pagin" 0.1
says err "is told with the nearest" paging
run "$PMUTRACE" func --calibrate
ok "--calibrate" equal "$status" 0
