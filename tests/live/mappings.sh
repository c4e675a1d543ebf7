#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Code that comes and goes: a library opened midway, a process that becomes another program.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 16
pm -F 997 -o "$T/p.folded" -- "$PROG/dlopen_mid" -s 0.6
ok "measured" test "$status" = 0
all=$(folded_sum "$T/p.folded" '_work[; ]')
ok "0.6 s" is_time "$all" 0.6
ok "half of it in the plugin" is_share "$(folded_sum "$T/p.folded" ';main;plugin_work[; ]')" "$all" 50
ok "half of it before" is_share "$(folded_sum "$T/p.folded" ';main;before_work[; ]')" "$all" 50

pm -F 997 -o "$T/x.folded" -o "$T/x.json" -- "$PROG/reexec" -s 0.6
ok "measured over an exec" test "$status" = 0
all=$(folded_sum "$T/x.folded" '_exec_work[; ]')
ok "0.6 s" is_time "$all" 0.6
ok "half before" is_share "$(folded_sum "$T/x.folded" '^reexec;.*main;before_exec_work[; ]')" "$all" 50
ok "half after" is_share "$(folded_sum "$T/x.folded" '^after_exec;.*main;after_exec_work[; ]')" "$all" 50
ok "one process id" equal "$(json "$T/x.json" '
	my %p = map { $_->{key}{pid} => 1 } @{$d->{rows}}; scalar keys %p')" 1

start "$PROG/dlopen_mid" -s 6
within 20 grep -q libplugin "/proc/$started/maps" || :
pm -F 997 -o "$T/l.folded" -p "$started" --duration 0.5
ok "measured what was opened before" test "$status" = 0
all=$(folded_sum "$T/l.folded")
ok "its library is known" between $((all * 97 / 100)) \
	"$(folded_sum "$T/l.folded" ';main;plugin_work[; ]')" "$all"

# Three libraries one after the other at one place, called from one place: the same addresses. What
# was taken since the last look, up to 0.1 s, may have the name of what lay there before.
pm -F 997 -o "$T/g.folded" -- "$PROG/remap" -s 1.5
ok "measured three generations of code" test "$status" = 0
ok "1.5 s" is_time "$(folded_sum "$T/g.folded" ';main;run_at;[a-z]*_code[; ]')" 1.5
for code in first_code second_code third_code; do
	ok "0.5 s of $code" between 370 "$(folded_sum "$T/g.folded" ";main;run_at;${code}[; ]")" 640
done
