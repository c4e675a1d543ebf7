#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Code made at run time takes its names from /tmp/perf-PID.map and is marked _[j].
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 5
start "$PROG/jit" -s 60
within 20 test -e "/tmp/perf-$started.map" || :
pm -F 997 -o "$T/p.folded" -p "$started" --duration 0.5
ok "measured" test "$status" = 0
all=$(folded_sum "$T/p.folded")
ok "jit_loop_fn is named and marked" between $((all * 90 / 100)) \
	"$(folded_sum "$T/p.folded" ';main;run_jit;jit_loop_fn_\[j\] ')" "$all"
stop "$started"
ok "the program removed its map" test ! -e "/tmp/perf-$started.map"

# Nobody says what it is called: still not mixed up with anything else.
start "$PROG/jit" -s 60
within 20 test -e "/tmp/perf-$started.map" || :
rm "/tmp/perf-$started.map"
pm -F 997 -o "$T/n.folded" -p "$started" --duration 0.3
ok "measured without a map" test "$status" = 0
all=$(folded_sum "$T/n.folded")
ok "its caller is right all the same" between $((all * 90 / 100)) \
	"$(folded_sum "$T/n.folded" ';main;run_jit;')" "$all"
