#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The kernel's tables are drained while it goes on writing: nothing is lost or counted twice.
. "$(dirname "$0")/../lib.sh"
need_bpf

# N pages touched for the first time are N page faults in touch_page, however often was drained.
runs='1 2 3 4 5'
# An emulator takes minutes for those.
[ -z "${CYCLES_PER_INSTRUCTION-}" ] || runs='1 2'
plan $((4 + $(echo "$runs" | wc -w) * 3))
# What the drains can lose, of the command and of all others alike. The kernel counts a fault now and
# then for which no program runs, nor a tracepoint, nor does perf have a sample: of whom is not known,
# so it is told ("missed by the kernel, of any task"). None of the command's, which are all there.
drained() {
	json "$1" 'my %l = %{$d->{losses}}; delete $l{passed_over}; sum0 values %l'
}
# A quarter of a second in which we do not run is too long for these tables: that is a loss, and told.
lossless() {
	run "$PMUTRACE" profile -v -e page-faults -c 1 --call-graph fp --stacks 2048 --max-stack 20 \
		-f json -o "$T/p.json" -o "$T/p.folded" -- "$PROG/touch" -n 12000 -k 4096 -u 200
	[ "$(drained "$T/p.json")" = 0 ]
}
for nr in $runs; do
	tries away lossless
	ok "measured, $nr" test "$status" = 0
	ok "no drain lost any, $nr" equal "$(drained "$T/p.json")" 0
	ok "n faults are n samples, $nr" equal "$(folded_sum "$T/p.folded" ';touch_page ')" 12000
done
drains=$(sed -n 's/.*drained \([0-9]*\) times while running.*/\1/p' "$T/err")
ok "drained several times while running" between 3 "$drains" 1000
ok "each of the 4096 stacks is there" \
	equal "$(grep -c ';touch_page [0-9]*$' "$T/p.folded")" 4096
ok "as often as it was taken" equal \
	"$(awk '/;touch_page [0-9]+$/ { n[$NF]++ } END { print n[2] + 0, n[3] + 0 }' "$T/p.folded")" \
	"$((4096 * 3 - 12000)) $((12000 - 4096 * 2))"
ok "12 calls below main" sh -c \
	"! grep ';touch_page [0-9]*$' '$T/p.folded' | grep -v -E ';main(;(left|right)){13};touch_page '"
