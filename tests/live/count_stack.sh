#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# count: stacks of hits. Who calls whom how often is known of tests/prog/probed.c and touch.c.
. "$(dirname "$0")/../lib.sh"
need_bpf

probed=$PROG/probed
call=uprobe:$probed:probed_call

# count ARGS.. - JSON into $T/out.json, stacks into $T/out.folded
# By frame pointer, which these programs keep: of a command there are no rules in its first milliseconds.
count() {
	rm -f "$T/out.json" "$T/out.folded"
	run "$PMUTRACE" count --call-graph fp -o "$T/out.json" -o "$T/out.folded" "$@"
	[ "$status" = 0 ] || { echo "# exit status $status" && show; }
}

# has NAME REGEX N - so many hits have a folded stack like this
has() {
	ok "$1" equal "$(folded_sum "$T/out.folded" "$2")" "$3"
}

plan 41

# Of a function's entry
count "$call" --by ustack -- "$probed" -n 100
has "all hits have a stack" . 1000
has "five of ten by caller_a" ';once;caller_a;probed_call [0-9]+$' 500
has "the others by caller_b" ';once;caller_b;probed_call [0-9]+$' 500
ok "in JSON from outermost to innermost" equal "$(json "$T/out.json" \
	'join " ", sort map { join(">", @{$_->{key}{stack}}[-4 .. -1]) } @{$d->{rows}}')" \
	"main>once>caller_a>probed_call main>once>caller_b>probed_call"
count "uretprobe:$probed:probed_call" --by ustack -- "$probed" -n 10
has "a return: the callers go on" ';once;caller_a[ ;]' 50
has "a return: of each" ';once;caller_b[ ;]' 50
# Behind the two instructions that make its frame.
case $(uname -m) in
x86_64) behind=4 ;;
aarch64) behind=8 ;;
esac
count "$call+$behind" --by ustack -- "$probed" -n 2
has "inside of the function" ';caller_[ab];probed_call ' 20
count "uprobe:$probed:recurse" --by ustack -- "$probed" -n 7
has "recursion: depth 10 is 10 hits" . 70
has "recursion: each depth has its stack" ';once;recurse;recurse;recurse;recurse;recurse;recurse;recurse;recurse;recurse;recurse 7$' 7
has "recursion: the outermost too" ';once;recurse 7$' 7
ok "recursion: ten stacks" equal "$(json "$T/out.json" 'scalar @{$d->{rows}}')" 10
count "uprobe:$probed:leap" "uretprobe:$probed:leap" --by ustack -- "$probed" -n 5
ok "left by longjmp: entered thrice, never returned from" equal \
	"$(json "$T/out.json" 'join " ", map { $_->{value} } @{$d->{events}}')" "15 0"
count "uprobe:$probed:recurse" --by ustack --max-stack 3 -- "$probed"
has "--max-stack: three frames, told to be cut" 'truncated.*;recurse;recurse;recurse ' 8
ok "--max-stack: how many were cut" equal "$(json "$T/out.json" \
	'sum0 map { /trunc/ ? $d->{incomplete}{$_} : () } keys %{$d->{incomplete}}')" 10
# A task is never switched out by fewer than three functions of the kernel.
count sched:sched_switch --by kstack --max-stack 2 -- "$PROG/exact" -n 20
ok "--max-stack: of the kernel, all are cut" equal "$(json "$T/out.json" '$d->{incomplete}{kernel_truncated}')" \
	"$(json "$T/out.json" '$d->{kept}')"
has "told in the stack" '^([^;]*;)?\[truncated\](_\[k\])?;' "$(json "$T/out.json" '$d->{kept}')"

# Of a system call, in both halves
case $(uname -m) in
x86_64) nr=110 ;;
aarch64) nr=173 ;;
esac
getppid=raw_syscalls:sys_enter
count $getppid --filter "id == $nr" --by kstack -- "$PROG/calls" getppid=40
has "the kernel's half" 'syscall.*_\[k\] 40$' 40
has "without the program's" 'getppid_often' 0
count $getppid --filter "id == $nr" --by ustack -- "$PROG/calls" getppid=40
has "the program's half" ';main;do_step;getppid_often 40$' 40
has "without the kernel's" '_\[k\]' 0
count $getppid --filter "id == $nr" --by stack -- "$PROG/calls" getppid=40
has "both: the kernel's inside" ';getppid_often;.*syscall.*_\[k\] 40$' 40
count syscalls:sys_enter_getppid --by kstack -- "$PROG/calls" getppid=40
ok "a stack is there, or its lack is told" equal "$(json "$T/out.json" \
	'my ($s) = map { scalar @{$_->{key}{stack}} } @{$d->{rows}}; $s || $d->{incomplete}{kernel_failed} == 40 ? "" : "neither"')" ""
count raw_syscalls:sys_enter rt:sys_enter --by kstack --filter 'comm == "calls"' --event rt:sys_enter -- \
	"$PROG/calls" getppid=40
ok "no stack has a frame of ours" equal "$(grep -c 'bpf_prog\|bpf_trace_run' "$T/out.folded")" 0
ok "two probes: as many stacks of each" equal "$(folded_sum "$T/out.folded")" \
	"$(json "$T/out.json" '$d->{events}[1]{value}')"

# Of page faults: known paths, exact counts
count page-faults@1 --by ustack --filter 'comm == "touch"' -- "$PROG/touch" -n 3000 -k 8
has "n pages are n page faults" ';touch_page 375$' 3000
ok "of eight stacks" equal "$(grep -c ';touch_page 375$' "$T/out.folded")" 8
has "one of them by left() all the way" \
	';main;left;left;left;left;left;left;left;left;left;left;left;left;left;touch_page ' 375
# Each CPU counts to ten by itself; over the faults of others, too, which do not come each time.
tenths() {
	count page-faults@10 --by ustack -- "$PROG/touch" -n 3000
	ok_tenths() {
		between "$((300 - $(nproc)))" "$(folded_sum "$T/out.folded" ';touch_page [0-9]+$')" 301
	}
	ok_tenths >"$T/tenths"
}
tenths || tenths || tenths
ok "every tenth: a tenth of the hits" ok_tenths

# Stacks with other keys, as text and pictures
count "$call" --by arg1:str,ustack -- "$probed" -n 4
ok "with a field: a row for each of both" equal "$(json "$T/out.json" \
	'join " ", sort map { my ($n) = values %{$_->{values}}; "$_->{key}{stack}[-2]-" . $_->{key}{"arg1:str"} . "=$n" } @{$d->{rows}}')" \
	"caller_a-even=12 caller_a-odd=8 caller_b-even=8 caller_b-odd=12"
has "folded: the field is left out, its hits are not" ';caller_a;probed_call' 20
count "$call" --by comm,ustack -- "$probed"
has "folded: with comm that is the first frame" '^probed;.*;caller_a;probed_call 5$' 5
run "$PMUTRACE" count "$call" --by ustack -- "$probed" -n 3
says out "table: frames stand below their hits, innermost first" '^ +probed_call +probed$'
ok "table: then their callers" sh -c "grep -A 1 '^ *probed_call ' '$T/out' | grep -q '^ *caller_[ab] '"
run "$PMUTRACE" count "$call" --by ustack --csv -o - -- "$probed" -n 3
says out "csv: a column" '^"?[^,]*;once;caller_b;probed_call"?,15$'
check 0 "svg" "$PMUTRACE" count "$call" --by ustack -o "$T/x.svg" --title 'who <calls>' -- "$probed" -n 3
# title FILE FRAME - what its box tells
title() {
	perl -0777 -ne 'print "$1\n" while m{<title>'"$2"' \[probed\]\n(\d+) }g' "$1"
}
ok "svg: hits of each frame" equal "$(title "$T/x.svg" 'caller_[ab]' | paste -s -d ' ' -)" "15 15"
ok "svg: what is counted" grep -q '· 30 hits · ' "$T/x.svg"
ok "svg: for its script, too" grep -q '"noun":"hit"' "$T/x.svg"
ok "svg: the title" grep -q 'who &lt;calls&gt;' "$T/x.svg"
check 0 "svg, reversed and upside down" "$PMUTRACE" count "$call" --by ustack --reverse --icicle \
	-o "$T/y.svg" -- "$probed" -n 3
ok "reversed: one box of the function, above it those of its callers" equal \
	"$(title "$T/y.svg" '(?:probed_call|caller_[ab])' | paste -s -d ' ' -)" "30 15 15"
