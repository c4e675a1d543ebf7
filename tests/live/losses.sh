#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A store that is too small loses: counted, named, with the option that would have helped.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 18
pm -F 20000 --stacks 16 -o "$T/p.json" -o "$T/p.folded" -o - -- "$PROG/deepwl" -s 1 -k 5000
ok "measured, with losses" test "$status" = 0
lost=$(json "$T/p.json" 'sum0 values %{$d->{losses}}')
kept=$(json "$T/p.json" '$d->{kept}')
ok "something was lost" between 1 "$lost" 100000
ok "seen = kept + lost" equal $((kept + lost)) "$(json "$T/p.json" '$d->{seen}')"
ok "the folded stacks are the kept ones" equal "$(folded_sum "$T/p.folded")" "$kept"
says out "the table counts them" "$lost lost"
says out "and names the option" '--stacks'

pm -F 20000 --stacks 16 --strict -f json -o "$T/s.json" -- "$PROG/deepwl" -s 0.5 -k 5000
ok "--strict makes it exit status 3" test "$status" = 3
ok "and the result is there" between 1 "$(json "$T/s.json" '$d->{kept}')" 100000

# There is room for a quarter of a second in which we do not run; a machine may take more now and then.
lossless() {
	pm -F 997 --strict -f json -o "$T/d.json" -- "$PROG/deepwl" -s 0.5 -k 5000
	[ "$(json "$T/d.json" 'sum0 values %{$d->{losses}}')" = 0 ]
}
for nr in 1 2 3 4 5; do
	tries away lossless
	ok "defaults lose nothing, $nr" equal "$(json "$T/d.json" 'sum0 values %{$d->{losses}}')" 0
	ok "and --strict is content" test "$status" = 0
done
