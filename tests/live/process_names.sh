#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# stat by process: one row of each, whatever its threads call themselves.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 5
start "$PROG/outlived"
pid=$started
ok "it has a thread with a name of its own" within 10 sh -c "grep -q heir /proc/$pid/task/*/comm"
run "$PMUTRACE" stat --per-process -e task-clock -o "$T/p.json" -p "$pid" 0.3
ok "measured by process" test "$status" = 0
ok "one row, by the name of its first thread" equal \
	"$(json "$T/p.json" 'join " ", map { "$_->{key}{pid} $_->{key}{comm}" } @{$d->{rows}}')" "$pid outlived"
run "$PMUTRACE" stat --per-thread -e task-clock -o "$T/t.json" -p "$pid" 0.3
ok "by thread each has its own" equal \
	"$(json "$T/t.json" 'join " ", sort { $a cmp $b } map { $_->{key}{comm} } grep { $_->{key}{comm} =~ /^(outlived|heir)$/ } @{$d->{rows}}')" "heir outlived"
ok "and the process's number" equal \
	"$(json "$T/t.json" 'join " ", keys %{{ map { $_->{key}{pid} => 1 } @{$d->{rows}} }}')" "$pid"
stop "$pid"
