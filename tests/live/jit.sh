#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Code made at run time takes its names from /tmp/perf-PID.map or jit-PID.dump and is marked _[j].
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 18
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
stop "$started"

# A jitdump, which the program maps a page of: it knows more than the map.
mkdir "$T/d"
start "$PROG/jit" -s 60 -d "$T/d"
within 20 test -s "$T/d/jit-$started.dump" || :
pm -F 997 -o "$T/d.folded" -p "$started" --duration 0.5
ok "measured with a jitdump" test "$status" = 0
all=$(folded_sum "$T/d.folded")
ok "code that it tells to have moved is named" between $((all * 90 / 100)) \
	"$(folded_sum "$T/d.folded" ';main;run_jit;jit_loop_fn_\[j\] ')" "$all"
ok "the map has no say in it" between 0 "$(folded_sum "$T/d.folded" 'jit_map_fn')" 0
stop "$started"

# The command's own: it is mapped while sampling goes on.
pm -F 997 -o "$T/c.folded" -- "$PROG/jit" -s 0.5 -d "$T/d"
ok "measured from the start on" test "$status" = 0
all=$(folded_sum "$T/c.folded" ';run_jit;')
ok "it is found when it is mapped" between $((all * 60 / 100)) \
	"$(folded_sum "$T/c.folded" ';main;run_jit;jit_loop_fn_\[j\] ')" "$all"

# Not mapped: nobody has said that it is there.
start "$PROG/jit" -s 60 -d "$T/d" -m
within 20 test -s "$T/d/jit-$started.dump" || :
pm -F 997 -o "$T/m.folded" -p "$started" --duration 0.3
ok "a jitdump that is not mapped is not looked for" between 1 \
	"$(folded_sum "$T/m.folded" ';main;run_jit;jit_map_fn_\[j\] ')" 999
stop "$started"

# Names that are written at the end: through a buffer, as by node --perf-prof, or into a map, as by
# java -XX:+DumpPerfMapAtExit. All samples are there, once, and all of them are named.
# late NAME ARGS - of a run with them
late() {
	late=$1
	shift
	pm -F 997 -o "$T/l.folded" --json -o "$T/l.json" -- sh -c 'echo $$ >"$0"; exec "$@"' "$T/pid" "$PROG/jit" -s 0.5 "$@"
	rm -f "/tmp/perf-$(cat "$T/pid").map"
	ok "$late" test "$status" = 0
	all=$(folded_sum "$T/l.folded" ';run_jit;')
	ok "$late: all of its code is named" between "$((all * 90 / 100))" \
		"$(folded_sum "$T/l.folded" ';main;run_jit;jit_loop_fn_\[j\] ')" "$all"
	ok "$late: none has an address" between 0 "$(folded_sum "$T/l.folded" '\[jit\+')" 0
}
late "a jitdump whose names come at the end" -e -d "$T/d"
late "a map that is written at the end" -e -k
ok "nothing is counted twice" equal "$(folded_sum "$T/l.folded")" "$(jq .kept "$T/l.json")"
