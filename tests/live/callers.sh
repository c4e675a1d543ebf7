#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A stack is called whole only if it ends where a process or a thread begins. Where the callers are
# not to be found, every format says so.
. "$(dirname "$0")/../lib.sh"
need_bpf

# take NAME ARGS.. - of the program's own functions, into $T/NAME.folded and $T/NAME.json
way=eh depth=512
take() {
	name=$1
	shift
	run "$PMUTRACE" profile -q -U -F 997 --call-graph $way --max-stack $depth \
		-o "$T/$name.folded" -o "$T/$name.json" -f table -o - -- "$@"
	[ "$status" = 0 ] || { echo "# exit status $status" && show; }
	mv "$T/out" "$T/$name.table"
}

# all_of NAME FUNCTION REGEX - stacks that end in the function look like this, but for those of its
# first and last instructions, where the register is still, or again, its caller's
all_of() {
	n=$(folded_sum "$T/$1.folded" ";$2 ")
	[ "$n" -gt 50 ] || { echo "only $n samples of $2" && return 1; }
	between $((n * 95 / 100)) "$(folded_sum "$T/$1.folded" "$3")" "$n"
}

plan 22

for how in framed thread; do
	take $how "$PROG/unframed" -s 0.3 $how
	[ $how = framed ] && first=main || first=thread
	ok "$how: all stacks are whole" all_of $how burn "^unframed;.*;$first;outer;burn [0-9]+\$"
	# In a process's first milliseconds rules may not be there yet, and then nobody knows.
	ok "$how: or are told to be guessed" between 0 \
		"$(folded_sum "$T/$how.folded" '(missing|truncated|unreadable).*burn')" \
		"$(json "$T/$how.json" '$d->{incomplete}{code_unknown} // 0')"
	way=fp
	take $how "$PROG/unframed" -s 0.3 $how
	way=eh
	ok "$how: none has lost its callers" equal \
		"$(folded_sum "$T/$how.folded" '(missing|truncated|unreadable).*burn')" 0
done

# Numbers that were taken for the outermost frame, and two that lead nowhere.
for value in 0 1 4095 4096 0xfffffffffffffff8; do
	take "v$value" "$PROG/unframed" -s 0.2 "$value"
	ok "$value in the register: callers are missing" all_of "v$value" hold \
		'^unframed;\[callers missing];hold [0-9]+$'
done
ok "each is counted, with its reason" between "$(folded_sum "$T/v0.folded" missing)" \
	"$(json "$T/v0.json" 'sum0 @{$d->{incomplete}}{qw(bad_unwind_rule code_unknown no_frame_pointer no_unwind_rule process_gone user_unreadable)}')" "$(folded_sum "$T/v0.folded")"
ok "none is lost" equal "$(json "$T/v0.json" 'sum0 values %{$d->{losses}}')" 0
ok "the table shows it" grep -Eq '^ +0 +0\.00 +[0-9]+ +[0-9.]+ +\[callers missing]$' "$T/v0.table"

# A list of 1000 nodes is no chain of frames: nothing is cut, for nothing was there.
take list "$PROG/unframed" -s 0.2 list
ok "a list on the stack: callers are missing" all_of list hold '^unframed;\[callers missing];hold [0-9]+$'
ok "a list on the stack: nothing is said to be cut" equal "$(folded_sum "$T/list.folded" truncated)" 0
ok "a list on the stack: nor counted so" equal \
	"$(json "$T/list.json" '$d->{incomplete}{user_truncated} // 0')" 0

# What is cut is not broken: it keeps its own mark.
depth=127
take cut "$PROG/chain" -r 300 -s 0.2
depth=512
ok "a stack that is cut" all_of cut recurse '^chain;\[truncated];recurse;.*;recurse [0-9]+$'
ok "is not one without callers" equal "$(folded_sum "$T/cut.folded" 'missing.*recurse')" 0

# Kernel frames stand on top of what there is of the user half.
run "$PMUTRACE" profile -q -F 997 -o "$T/both.folded" -o "$T/both.svg" -- "$PROG/unframed" -s 0.2 0
all=$(folded_sum "$T/both.folded" ';hold[ ;]')
ok "with kernel frames: the same" between $((all * 95 / 100)) \
	"$(folded_sum "$T/both.folded" '^unframed;\[callers missing];hold[ ;]')" "$all"
ok "the flame graph has the frame" grep -q 'callers missing' "$T/both.svg"

# Names are not what tells.
if command -v strip >/dev/null && cp "$PROG/unframed" "$T/stripped" && strip "$T/stripped"; then
	way=fp
	take stripped "$T/stripped" -s 0.2 framed
	all=$(folded_sum "$T/stripped.folded" '\[stripped fn 0x')
	ok "a stripped program: its stacks are whole" between 0 \
		"$(folded_sum "$T/stripped.folded" 'missing.*;\[stripped fn 0x')" $((all / 50))
else
	skip 1 "no-tool: no strip"
fi
