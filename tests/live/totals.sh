#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The total of every format is what the kernel took less what was lost: 997 Hz for one second.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 12
pm -F 997 -o "$T/p.folded" -o "$T/p.svg" -o "$T/p.json" -o "$T/p.csv" -o - -- "$PROG/burn" -s 1
ok "measured" test "$status" = 0
# No more than the clock's ticks while it was measured. On a CPU shared with others the number is a
# matter of chance, too.
low=900 high=$(json "$T/p.json" 'int($d->{duration_ns} * 997 / 1e9) + 2')
[ "$(json "$T/p.json" '$d->{duration_ns} > 1.04e9 || 0')" = 0 ] || low=870 high=1130
ok "1 s busy is $low..$high samples" between "$low" "$(folded_sum "$T/p.folded")" "$high"
kept=$(json "$T/p.json" '$d->{kept}')
ok "folded" equal "$(folded_sum "$T/p.folded")" "$kept"
ok "JSON rows" equal "$(json "$T/p.json" 'sum0 map { values %{$_->{values}} } @{$d->{rows}}')" "$kept"
ok "CSV" equal "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cpu-clock") c = i }
	NR > 1 { n += $c } END { print n + 0 }' "$T/p.csv")" "$kept"
ok "SVG" equal "$(grep -o '[0-9,]* samples' "$T/p.svg" | head -n 1 | tr -dc 0-9)" "$kept"
ok "table" equal "$(sed -n 's/^cpu-clock: \([0-9]*\) samples.*/\1/p' "$T/out")" "$kept"
ok "the loss line of the table" grep -q "^samples: [0-9]* seen, $kept kept" "$T/out"
ok "seen = kept + lost" equal "$(json "$T/p.json" '$d->{kept} + sum0 values %{$d->{losses}}')" \
	"$(json "$T/p.json" '$d->{seen}')"
# The clock's period at 997 Hz is 10^9 / 997 = 1003009 ns.
ok "the weight is samples x period" equal "$(json "$T/p.json" '$d->{events}[0]{raw}')" $((kept * 1003009))

pm -F 997 -e task-clock -o "$T/two.json" -- "$PROG/burn" -s 0.3
ok "two events in one run" equal "$(json "$T/two.json" 'join " ", map { $_->{event} } @{$d->{events}}')" \
	"cpu-clock task-clock"
ok "both count" between 450 "$(json "$T/two.json" 'sum0 map { values %{$_->{values}} } @{$d->{rows}}')" 750
