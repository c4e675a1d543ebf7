#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Functions that were inlined are frames of their own, with the lines that addr2line finds.
. "$(dirname "$0")/../lib.sh"
need_bpf

prog=$PROG/inlines
source=$TOP/tests/prog/inlines.c

# line_of WORD - numbers of the source's lines that are marked so, as an alternative
line_of() {
	grep -n "/\* $1 \*/" "$source" | cut -d: -f1 | paste -sd'|'
}

# Chains of all addresses of outer(), as addr2line has them, outermost first.
chains() {
	nm -S "$prog" | awk '$4 == "outer" { print $1, $2 }' | {
		read -r start len
		at=$((0x$start))
		end=$((at + 0x$len))
		while [ $at -lt $end ]; do
			addr2line -f -i -s -e "$prog" "$(printf '%x' $at)" | sed 's/ (disc.*//' |
				awk 'NR % 2 { name = $0; next }
				{ names[NR / 2] = name; lines[NR / 2] = $0; n = NR / 2 }
				END { for (i = n; i; i--)
					printf "%s (%s)%s%s", names[i], lines[i], (i < n ? "_[i]" : ""), (i > 1 ? ";" : "\n") }'
			at=$((at + 1))
		done
	} | sort -u
}

plan 14
pm -F 997 --call-graph eh -o "$T/p.folded" -o "$T/p.json" -o "$T/p.svg" -- "$prog" 0.5
ok "measured" test "$status" = 0
all=$(folded_sum "$T/p.folded" ';outer')
ok "inlined functions are frames in order" between $((all * 95 / 100)) \
	"$(folded_sum "$T/p.folded" ';main;outer;middle_\[i\];inner_\[i\][; ]')" "$all"
ok "there are samples" test "$all" -gt 50
ok "JSON has them" grep -q '"outer", *"middle_\[i\]", *"inner_\[i\]"' "$T/p.json"
ok "the flame graph tells them" grep -q '>inlined</text>' "$T/p.svg"

pm -F 997 --no-inline -o "$T/no.folded" -- "$prog" 0.3
all=$(folded_sum "$T/no.folded" ';outer')
ok "--no-inline leaves them to the function" between 50 \
	"$(folded_sum "$T/no.folded" ';main;outer[; ]')" "$all"
ok "and has none of them" equal "$(folded_sum "$T/no.folded" '_\[i\]')" 0

pm -F 997 --lines -o "$T/lines.folded" -- "$prog" 0.5
all=$(folded_sum "$T/lines.folded" ';outer')
ok "lines are where the source has them" between $((all * 95 / 100)) "$(folded_sum "$T/lines.folded" \
	";outer \(inlines.c:$(line_of OUTER)\);middle \(inlines.c:$(line_of MIDDLE)\)_\[i\];inner \(inlines.c:($(line_of INNER))\)_\[i\][; ]")" "$all"
chains > "$T/known"
grep -o ';outer .*' "$T/lines.folded" | sed 's/^;//; s/ [0-9]*$//; s/;[^;]*_\[k\]//g' | sort -u > "$T/seen"
ok "there are chains to compare" test -s "$T/seen"
ok "addr2line has the same chains" equal "$(grep -vxFf "$T/known" "$T/seen")" ""

# Debug information of another user's file is read, too: by a process that can do nothing else.
cp "$prog" "$T/strangers" && chown 12345 "$T/strangers"
pm -F 997 -o "$T/strange.folded" -- "$T/strangers" 0.3
all=$(folded_sum "$T/strange.folded" ';outer')
ok "functions inlined into another user's program" between $((all * 95 / 100)) \
	"$(folded_sum "$T/strange.folded" ';main;outer;middle_\[i\];inner_\[i\][; ]')" "$all"
ok "are there" test "$all" -gt 30

# A function without a symbol has the name that its debug information has.
objcopy -N outer -N main "$prog" "$T/nosymbols"
pm -F 997 --call-graph eh -o "$T/none.folded" -- "$T/nosymbols" 0.6
all=$(folded_sum "$T/none.folded" ';__libc_start')
ok "functions without symbols have names, too" between $((all * 95 / 100)) \
	"$(folded_sum "$T/none.folded" ';main;outer;middle_\[i\];inner_\[i\][; ]')" "$all"
ok "there are samples of them" test "$all" -gt 50
