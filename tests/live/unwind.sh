#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Stacks of a program without frame pointers are whole, by the rules of .eh_frame: each sample's is
# the chain that the program says, from its first one on.
. "$(dirname "$0")/../lib.sh"
need_bpf

# take NAME ARGS.. - user stacks of a program, into $T/NAME.folded and $T/NAME.json
take() {
	name=$1
	shift
	run "$PMUTRACE" profile -q -U -F 997 -o "$T/$name.folded" -o "$T/$name.json" -f table -o - -- "$@"
	[ "$status" = 0 ] || { echo "# exit status $status" && show; }
}

# chain MODE PERMILLE REGEX [ARGS..] - of the samples in spin_bare so many have this chain: but for the
# first ones, while rules are read, for which there may be too few copies: on an emulated machine for
# some 40 ms
chain() {
	mode=$1 permille=$2 regex=$3
	shift 3
	take "$mode" "$PROG/bare" -s 1 "$mode" "$@"
	n=$(folded_sum "$T/$mode.folded" ";spin_bare ")
	[ "$n" -gt 100 ] || { echo "# only $n samples of spin_bare" && return 1; }
	between $((n * permille / 1000)) "$(folded_sum "$T/$mode.folded" "^bare;(.*;)?$regex;spin_bare [0-9]+\$")" "$n" && return
	grep spin_bare "$T/$mode.folded" | cut -c1-200 | head -n 5 | sed 's/^/# /'
	return 1
}

plan 32

ok "functions that call each other" chain plain 930 '_start;.*;main;outer;middle'
recursion=$(printf ';recurse%.0s' $(seq 100))
ok "a recursion of 100" chain deep 930 "_start;.*;main$recursion"
ok "called back by the C library's qsort" chain sort 930 '_start;.*;main;sorted;.*;compare'
# Until there are rules stacks are copied: the one that is in use.
ok "a signal's handler, on a stack of its own" chain signal 850 '_start;.*;main;waits;.*;handler'
ok "a frame of a size that is known at run time only" chain alloca 930 '_start;.*;main;grows'
ok "a frame of 100 KB" chain large 850 '_start;.*;main;large'
ok "a thread" chain thread 930 'thread;outer;middle'
ok "code made at run time, which keeps a frame pointer" chain made 930 '_start;.*;main;made;\[[^;]*;back'
ok "a library that was loaded midway" chain late 850 '(late;spin_bare|_start;.*;main;late(;plugin_calls;back)?)' \
	"$PROG/libplugin.so"
ok "and next to none of them is incomplete" between 0 \
	"$(json "$T/deep.json" 'sum0 values %{$d->{incomplete}}')" $(($(json "$T/deep.json" '$d->{seen}') / 20))

# Each ends before programs have its mappings, or soon after: its stacks are copied as a whole.
run "$PMUTRACE" profile -q -U -F 997 -o "$T/young.folded" -o "$T/young.json" -- \
	sh -c "for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do '$PROG/bare' -s 0.02 large; done"
ok "young processes: measured" equal "$status" 0
n=$(folded_sum "$T/young.folded" '^bare;.*spin_bare ')
ok "they have samples" between 160 "$n" 640
ok "in a frame of 100 KB, and nearly all have their callers" between $((n * 9 / 10)) \
	"$(folded_sum "$T/young.folded" '^bare;(.*;)?_start;.*;main;large;spin_bare ')" "$n"

# One after the other at one place, with frames of three sizes: the rule that was found for an address
# holds no longer. Samples of before the new mapping was seen are the former one's.
run "$PMUTRACE" profile -q -U -F 997 -o "$T/again.folded" -- "$PROG/remap" -u -s 1.5
ok "code that is replaced: measured" equal "$status" 0
for code in first second third; do
	ok "0.5 s of the $code one, with its callers" between 350 \
		"$(folded_sum "$T/again.folded" "^remap;_start;.*;main;run_at;${code}_unframed ")" 640
done

# A new thread is first seen behind clone(2), where nobody has called it: its stack is that frame. The
# name of that is known where the C library's symbols are.
run "$PMUTRACE" profile -q -U -F 2999 -o "$T/threads.folded" -- "$PROG/short_threads" 2
n=$(folded_sum "$T/threads.folded" '^short_threads;[^;]+ [0-9]+$')
ok "threads that have just begun: measured" between 10 "$n" 100000
ok "they are whole" between 0 "$(folded_sum "$T/threads.folded" '^short_threads;\[callers missing];[^;]+ [0-9]+$')" \
	$((n / 5))
ok "who makes them has callers" between "$n" \
	"$(folded_sum "$T/threads.folded" '^short_threads;(.*;)?main;pthread_create[^;]*;.*;[^;]+ [0-9]+$')" 100000

# The truth of this test: by frame pointer the same program has no callers.
run "$PMUTRACE" profile -q -U -F 997 --call-graph fp -o "$T/fp.folded" -- "$PROG/bare" -s 0.2 plain
n=$(folded_sum "$T/fp.folded" ";spin_bare ")
ok "by frame pointer: measured" between 50 "$n" 400
ok "by frame pointer: its callers are not found" equal "$(folded_sum "$T/fp.folded" 'outer;middle;spin_bare ')" 0
run "$PMUTRACE" profile -q -F 997 --call-graph none -o "$T/none.folded" -- "$PROG/bare" -s 0.2 plain
ok "none: no user frame at all" equal "$(folded_sum "$T/none.folded" spin_bare)" 0
run "$PMUTRACE" profile --call-graph dwarf 1
ok "another way is refused" equal "$status" 2
says err "and told which there are" 'call-graph.*eh, fp or none'

# With next to no room rules are not there: told, and counted by reason.
run "$PMUTRACE" profile -U -F 997 --unwind-mem 20k -o "$T/small.json" -- "$PROG/bare" -s 0.2 plain
ok "no room for rules: it runs on" equal "$status" 0
ok "and every sample is counted" equal "$(json "$T/small.json" '$d->{seen}')" \
	"$(json "$T/small.json" '$d->{kept} + sum0 values %{$d->{losses}}')"

# Processes that live for some milliseconds: their stacks are copied, and unwound afterwards.
run "$PMUTRACE" profile -q -U -F 997 -o "$T/short.folded" -- \
	sh -c "for i in 1 2 3 4 5 6 7 8 9 10; do '$PROG/bare' -s 0.03 plain; done"
n=$(folded_sum "$T/short.folded" ";spin_bare ")
ok "processes of 30 ms have whole stacks" between $((n * 80 / 100)) \
	"$(folded_sum "$T/short.folded" '^bare;_start;.*;main;outer;middle;spin_bare ')" "$n"

# The same engine at probes: a function's entry and its return, and a system call's.
chain_of() {
	n=$(folded_sum "$1" ";$3 ")
	[ "$n" -gt 20 ] || { echo "# only $n hits" && return 1; }
	equal "$(folded_sum "$1" "$2;$3 [0-9]+\$")" "$n"
}
start "$PROG/bare" -s 60 sort
bare=$started
within 20 grep -q bare "/proc/$bare/comm"
sorted='_start;.*;main;sorted;.*;compare'
run "$PMUTRACE" count -q "uprobe:$PROG/bare:spin_bare" --by ustack -p "$bare" --duration 0.5 -o "$T/count.folded"
ok "count: all stacks of a function's entry are whole" chain_of "$T/count.folded" "$sorted" spin_bare
run "$PMUTRACE" func -q "$PROG/bare:spin_bare" --by stack -p "$bare" --duration 0.5 -o "$T/func.folded"
ok "func: all stacks of a function's return are whole" chain_of "$T/func.folded" '_start;.*;main;sorted;.*' compare
kill "$bare"
start "$PROG/bare" -s 60 plain
bare=$started
within 20 grep -q bare "/proc/$bare/comm"
run "$PMUTRACE" count -q "uprobe:$PROG/bare:spin_bare" --by ustack --call-graph fp -p "$bare" --duration 0.5 \
	-o "$T/count_fp.folded"
ok "count by frame pointer: counted" between 20 "$(folded_sum "$T/count_fp.folded" ';spin_bare ')" 1000000
ok "count by frame pointer: some callers are not found" \
	equal "$(folded_sum "$T/count_fp.folded" 'outer;middle;spin_bare ')" 0
kill "$bare"
