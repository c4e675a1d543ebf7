#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Stacks of 32-bit code: by its frame pointers, whose words have four bytes, whatever is asked for.
. "$(dirname "$0")/../lib.sh"
need_bpf
[ -x "$PROG/code_32bit" ] || skip_all "no-32bit: the compiler makes no 32-bit code"
status=0
timeout 0.2 "$PROG/code_32bit" 2>/dev/null || status=$?
# execve(2) has refused it, and a shell did not understand it. Whatever else ends it is a fault.
case $status in
2 | 126) skip_all "no-32bit: the kernel runs no 32-bit programs" ;;
esac

plan 12

for how in eh fp; do
	run "$PMUTRACE" profile -U -F 997 --call-graph $how --duration 2 -o "$T/$how.folded" \
		-o "$T/$how.json" -- "$PROG/code_32bit"
	ok "$how: measured" equal "$status" 0
	# While it begins or ends, it has a kernel's stack alone.
	all=$(folded_sum "$T/$how.folded" '^code_32bit;')
	right=$(folded_sum "$T/$how.folded" '^code_32bit;_start;outer(;middle(;spin)?)? ')
	# The first instruction may be where an interrupt of the exec is taken, once.
	first=$(folded_sum "$T/$how.folded" '^code_32bit;_start ')
	# Before a function has made its frame, and behind that, the register is its caller's: that one is
	# missing, and nothing tells.
	frameless=$(folded_sum "$T/$how.folded" '^code_32bit;_start;(outer;spin|middle) ')
	grep '^code_32bit' "$T/$how.folded" | grep -v ';_start;outer;middle' | diag
	ok "$how: stacks are as the program has them" between $((all * 95 / 100)) "$right" "$all"
	ok "$how: there are enough of them" between 100 "$all" 100000
	ok "$how: seldom is one taken before its frame is made" between 0 "$frameless" $((all / 100))
	ok "$how: _start has called nothing once at most" between 0 "$first" 1
	ok "$how: no other one passes for whole that is not" between $((all - right - frameless - first)) \
		"$(json "$T/$how.json" 'sum0 values %{$d->{incomplete}}')" $((all / 20))
done
