#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files for speedscope and Firefox Profiler of a real run: they have the samples and the weights that
# JSON has. tests/speedscope.pl and tests/firefox.pl read them as their formats are defined.
. "$(dirname "$0")/../lib.sh"
need_bpf

# speedscope FILE PROFILE - the sum of its weights, if it is a file of that format
speedscope() {
	perl "$TOP/tests/speedscope.pl" "$@" >"$T/stacks" && folded_sum "$T/stacks"
}
firefox() {
	perl "$TOP/tests/firefox.pl" "$@" >"$T/stacks" && folded_sum "$T/stacks"
}

plan 9
pm -F 997 -o "$T/p.json" -o "$T/p.speedscope.json" -o "$T/p.firefox.json" -- "$PROG/burn" -s 0.5
ok "measured" test "$status" = 0
# The clock's period at 997 Hz is 10^9 / 997 = 1003009 ns.
kept=$(json "$T/p.json" '$d->{kept}')
ok "Firefox Profiler has samples x period" equal "$(firefox "$T/p.firefox.json")" $((kept * 1003009))
ok "and the process that was measured" equal \
	"$(json "$T/p.firefox.json" 'join " ", map { "$_->{pid} $_->{samples}{weightType}" } @{$d->{threads}}')" \
	"$(json "$T/p.json" '$d->{rows}[0]{key}{pid}') tracing-ms"
ok "speedscope has them, too" equal "$(speedscope "$T/p.speedscope.json" 0)" $((kept * 1003009))

pm -F 997 -e task-clock -o "$T/two.json" -o "$T/two.speedscope.json" -o "$T/two.firefox.json" \
	--event task-clock -- "$PROG/burn" -s 0.3
for event in 0 1; do
	ok "two events weigh in speedscope what JSON has, event $event" equal \
		"$(speedscope "$T/two.speedscope.json" $event)" "$(json "$T/two.json" "\$d->{events}[$event]{raw}")"
done
ok "the one asked for is shown" equal "$(json "$T/two.speedscope.json" '$d->{activeProfileIndex}')" 1
ok "Firefox Profiler has that one" equal "$(firefox "$T/two.firefox.json")" \
	"$(json "$T/two.json" '$d->{events}[1]{raw}')"

pm -F 997 --by comm,pid,tid -o "$T/tids.firefox.json" -o "$T/tids.json" -- "$PROG/burn" -s 0.2
ok "and threads, if they were told apart" equal "$(json "$T/tids.firefox.json" 'join " ", map { $_->{tid} } @{$d->{threads}}')" \
	"$(json "$T/tids.json" '$d->{rows}[0]{key}{tid}')"
