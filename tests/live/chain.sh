#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A chain of 40 calls comes out whole and in order; a stack that is too deep says that it is cut.
. "$(dirname "$0")/../lib.sh"
need_bpf

whole=';main'
for i in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 \
	21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
	whole="$whole;c$i"
done

plan 14
pm -F 997 -f folded -o "$T/p.folded" -- "$PROG/chain" -s 0.4
ok "measured" test "$status" = 0
all=$(folded_sum "$T/p.folded")
ok "40 calls in order" between $((all * 97 / 100)) "$(folded_sum "$T/p.folded" "${whole}[; ]")" "$all"
ok "nothing claims to be cut" equal "$(folded_sum "$T/p.folded" truncated)" 0

pm -F 997 --max-stack 20 -o "$T/cut.folded" -o "$T/cut.json" -- "$PROG/chain" -r 60 -s 0.2
ok "measured with --max-stack" test "$status" = 0
all=$(folded_sum "$T/cut.folded")
ok "a cut stack is marked" between $((all * 95 / 100)) "$(folded_sum "$T/cut.folded" truncated)" "$all"
ok "and has the innermost 20 frames" awk '/truncated.*;recurse/ && gsub(/;recurse/, "") != 20 { print; bad = 1 }
	END { exit bad }' "$T/cut.folded"
ok "they are counted as incomplete" between $((all * 95 / 100)) \
	"$(json "$T/cut.json" 'sum0 values %{$d->{incomplete}}')" "$all"
ok "and not as lost" equal "$(json "$T/cut.json" 'sum0 values %{$d->{losses}}')" 0

pm -F 997 --max-stack 20 -f table -o "$T/table" -- "$PROG/chain" -r 60 -s 0.1
ok "the table names the option" grep -q -e '--max-stack' "$T/table"
pm -F 997 --max-stack 100 -f folded -o "$T/p.folded" -- "$PROG/chain" -r 60 -s 0.4
ok "--max-stack 100 holds 60 frames" awk '/;recurse/ && gsub(/;recurse/, "") == 60 { n += $NF }
	{ all += $NF } END { print n " of " all; exit n < 0.95 * all }' "$T/p.folded"

# Blocks of 16 frames: by rules and by frame pointers, with the last frame at the end of one, or not.
for how in eh fp; do
	pm -F 997 --call-graph $how -f folded -o "$T/p.folded" -- "$PROG/chain" -r 400 -s 0.4
	ok "$how: 400 frames without an option" awk '/;main;.*recurse/ && gsub(/;recurse/, "") == 400 { n += $NF }
		{ all += $NF } END { print n " of " all; exit n < 0.95 * all }' "$T/p.folded"
	for n in 15 16 17 31 32 33 100; do
		pm -F 997 --call-graph $how --max-stack $n -f folded -o "$T/p.folded" -- "$PROG/chain" -r 60 -s 0.1
		awk -v max=$n '/;recurse/ && gsub(/;recurse/, "") == (max < 60 ? max : 60) &&
			(max < 60) == /truncated/ { n += $NF }
			{ all += $NF } END { if (n < 0.9 * all) print max ": " n " of " all }' "$T/p.folded"
	done >"$T/wrong"
	ok "$how: as many as are asked for" test ! -s "$T/wrong"
done
