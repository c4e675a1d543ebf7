#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A function without a symbol is one row, by its first address; nm tells it of the file with symbols.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 3
cp "$PROG/bare" "$T/bare"
strip "$T/bare"
at=$(nm "$PROG/bare" | awk '$3 == "spin_bare" { sub(/^0*/, "", $1); print $1 }')
size=$(nm -S "$PROG/bare" | awk '$4 == "spin_bare" { sub(/^0*/, "", $2); print $2 }')
middle=$(nm "$PROG/bare" | awk '$3 == "middle" { sub(/^0*/, "", $1); print $1 }')
run "$PMUTRACE" profile -q -U -F 997 -o "$T/p.folded" -- "$T/bare" -s 0.4 plain
n=$(folded_sum "$T/p.folded" "\\[bare fn 0x$at\\] ")
ok "most samples are in one function" between 100 "$n" 600
# What the C library puts in front of main() has no rules, and may be hit while the program begins.
ok "which has no other name" equal "$(perl -ne '
	BEGIN { ($at, $size) = (hex shift, hex shift) }
	$n += $2 if /;\[bare\+0x([0-9a-f]+)\] (\d+)$/ && hex $1 >= $at && hex $1 < $at + $size;
	END { print $n + 0 }' "$at" "$size" "$T/p.folded")" 0
ok "its caller is a function of the file, too" \
	between $((n * 80 / 100)) "$(folded_sum "$T/p.folded" "\\[bare fn 0x$middle\\];\\[bare fn 0x$at\\] ")" "$n"
