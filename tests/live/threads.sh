#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# -p follows threads that are born after the start; -t takes one thread alone.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 10
start "$PROG/spawn_threads" -n 2 -s 0.5
victim=$started
ok "waits for its signal" within 20 grep -q '^waiting$' "$T/started.out"
# The threads are born when the signal comes, well after attaching.
(
	within 20 grep -q sampling "$T/err" && sleep 0.7 && kill -USR1 "$victim"
) &
pm -F 997 --by comm,tid -o "$T/p.folded" -o "$T/p.json" -p "$victim" --duration 30
ok "measured" test "$status" = 0
ok "late threads are seen: 2 times 0.5 s" is_time "$(folded_sum "$T/p.folded" late_thread_work)" 1
ok "by name" is_time "$(folded_sum "$T/p.folded" '^late-0;.*;late_thread_work')" 0.5
ok "both" is_time "$(folded_sum "$T/p.folded" '^late-1;.*;late_thread_work')" 0.5
ok "with two thread ids" between 2 "$(json "$T/p.json" '
	my %t = map { $_->{key}{tid} => 1 } @{$d->{rows}}; scalar keys %t')" 3

start "$PROG/spawn_threads" -n 2 -d 100 -s 20
victim=$started
within 20 sh -c "grep -q late-0 /proc/$victim/task/*/comm && grep -q late-1 /proc/$victim/task/*/comm" || :
tid=$(grep -l late-0 "/proc/$victim/task/"*/comm | sed 's/.*task.//; s/.comm$//')
pm -F 997 --by comm,tid -o "$T/t.json" -t "$tid" --duration 0.5
ok "-t measured" test "$status" = 0
ok "-t sees that thread alone" equal "$(json "$T/t.json" '
	my %t = map { $_->{key}{tid} => 1 } @{$d->{rows}}; join ",", keys %t')" "$tid"
pm -F 997 -o "$T/u.folded" -p "$victim" --duration 0.5
ok "-p measured" test "$status" = 0
ok "-p sees all threads there are" sh -c 'grep -q "^late-0;" "$T/u.folded" && grep -q "^late-1;" "$T/u.folded"'
