#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Ground truth: 30 % of the samples in burn_30, 70 % in burn_70, below work, below main.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 8
pm -F 997 -f folded -o "$T/p.folded" -- "$PROG/burn" -s 1
ok "measured" test "$status" = 0
all=$(folded_sum "$T/p.folded" '^burn;')
ok "30 % in burn_30" is_share "$(folded_sum "$T/p.folded" ';burn_30[; ]')" "$all" 30
ok "70 % in burn_70" is_share "$(folded_sum "$T/p.folded" ';burn_70[; ]')" "$all" 70
ok "all but the start-up below main and work" \
	between $((all * 97 / 100)) "$(folded_sum "$T/p.folded" ';main;work;burn_[37]0[; ]')" "$all"
ok "one command only" equal "$(folded_sum "$T/p.folded")" "$all"

pm -F 997 -f folded -o "$T/t.folded" -- "$PROG/burn" -s 0.3 -t 3
ok "measured with threads" test "$status" = 0
ok "threads are followed: 3 times 0.3 s" is_time "$(folded_sum "$T/t.folded" ';work;')" 0.9
ok "their shares too" is_share "$(folded_sum "$T/t.folded" ';work;burn_30[; ]')" \
	"$(folded_sum "$T/t.folded" ';work;')" 30
