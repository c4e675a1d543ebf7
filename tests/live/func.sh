#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# func: calls whose number, arguments and callers are known; tests/prog/calls.c makes them.
. "$(dirname "$0")/../lib.sh"
need_bpf

calls=$PROG/calls
plan 28

# func ARGS.. - a run into $T/one.json
func() {
	run_func "$T/one.json" "$@"
}

# rows EXPR - of each row, sorted
rows() {
	json "$T/one.json" 'join " ", sort map { my $k = $_->{key}; my $m = $_->{metrics};
		my ($n) = values %{$_->{values}}; '"$1"' } @{$d->{rows}}'
}

func "$calls:work" -- "$calls" work=1..10
ok "each call is counted" equal "$(rows '"$k->{func}=$n"')" "work=10"
ok "seen is what is kept" equal "$(json "$T/one.json" '"$d->{seen} $d->{kept}"')" "10 10"
ok "time is on and off the CPU" equal "$(rows '$m->{time}{sum} == $m->{"on-cpu"}{sum} +
	$m->{"off-cpu"}{sum} ? "same" : "other"')" same
ok "a leaf has all of its time itself" equal \
	"$(rows '$m->{time}{sum} == $m->{self}{sum} ? "same" : "other"')" same

func "$calls:work" --by arg0,ret,arg2:s32 -- "$calls" work=3,3,5
ok "told apart by argument and result" equal \
	"$(rows '"$k->{arg0}:$k->{ret}:$k->{\"arg2:s32\"}=$n"')" "3:3:-3=2 5:5:-5=1"
func "$calls:work" --filter 'arg0 > 7' -- "$calls" work=1..10
ok "a filter of the entry" equal "$(rows '$n')" 3
func "$calls:work" --filter 'ret <= 4' -- "$calls" work=1..10
ok "a filter of the return" equal "$(rows '$n')" 4
func "$calls:work_*" -- "$calls" some
ok "a pattern: each function's calls" equal "$(rows '"$k->{func}=$n"')" \
	"work_one=1 work_three=3 work_two=2"
func "$calls:work_*" --by caller -- "$calls" some
ok "by caller" equal "$(rows '"$k->{caller}=$n"')" "some=6"
func "$calls:work" --by comm -- "$calls" threads=3,5
ok "threads have their own" equal "$(rows '"$k->{comm}=$n"')" "calls-1=5 calls-2=5 calls-3=5"
func "$calls:work" --only-slow 10s -- "$calls" work=1..10
ok "none is that slow" equal "$(rows '$n')" ""
ok "which is told" grep -q "10 calls were shorter" "$T/err"
func "$calls:work" --hist time -- "$calls" work=1..10
ok "a histogram has all of them" equal "$(rows 'sum0(map { $_->{count} } @{$_->{hist}})')" 10
func --from syscalls:sys_enter_getppid --to syscalls:sys_exit_getppid -- "$calls" getppid=7
ok "from one tracepoint to another" equal "$(rows '$n')" 7
func "$calls:work" -e page-faults,context-switches,task-clock -- "$calls" work=1..10
ok "task-clock is the time on the CPU" equal \
	"$(rows '$m->{"task-clock"}{sum} == $m->{"on-cpu"}{sum} ? "same" : "other"')" same

# some() makes six measured calls: what they took is not its own, to the nanosecond.
func "$calls:work_*" "$calls:some" -e task-clock -- "$calls" some
# all METRIC - its sum in the rows of all work_ functions, and in that of some()
all() {
	json "$T/one.json" 'join " ", sum0(map { $_->{metrics}{"'"$1"'"}{sum} } grep { $_->{key}{func} ne "some" } @{$d->{rows}}),
		map { $_->{metrics}{"'"$1"'"}{sum} } grep { $_->{key}{func} eq "some" } @{$d->{rows}}'
}
ok "six calls of one" equal "$(rows '"$k->{func}=$n"')" "some=1 work_one=1 work_three=3 work_two=2"
own_is_rest() {
	read -r called whole own <<-EOF
		$(all "$1") $(all "$2" | cut -d ' ' -f 2)
	EOF
	equal "$own" $((whole - called))
}
ok "own time is all but that of six calls" own_is_rest time self
ok "so it is of an event" own_is_rest task-clock task-clock:self

func "$calls:naps" -e context-switches -- "$calls" naps=8
ok "time on the CPU is that of all pieces" between 39900000 "$(rows '$m->{"on-cpu"}{sum}')" 1e10
ok "and the rest is off it" between 8000000 "$(rows '$m->{"off-cpu"}{sum}')" 1e10
if [ "$(nproc)" -gt 1 ]; then
	func "$calls:hop" -e cpu-migrations,context-switches -- "$calls" hop=7
	ok "n migrations are n" equal "$(rows '$m->{"cpu-migrations"}{sum}')" 7
	func "$calls:naps" -e cpu-migrations,context-switches -- taskset -c 0 "$calls" naps=5
	ok "who stays on a CPU has none" equal "$(rows '$m->{"cpu-migrations"}{sum}')" 0
	ok "though it was switched out" between 5 "$(rows '$m->{"context-switches"}{sum}')" 10000
else
	skip 3 "one-cpu: needs two"
fi
func "$calls:work" --net -- "$calls" work=1..10
ok "--net tells what it takes off" equal \
	"$(json "$T/one.json" '$d->{net}{time} > 0 ? "some" : "none"')" some

check 0 "--calibrate" "$PMUTRACE" func --calibrate
ok "it has the caller's cost" grep -q "For its caller each call takes" "$T/out"
check 2 "no function" "$PMUTRACE" func 1
check 2 "cpu is no key" "$PMUTRACE" func "$calls:work" --by cpu 1
