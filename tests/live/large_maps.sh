#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A process with as many mappings as a kernel allows: /proc/PID/maps takes it 100 ms to print.
. "$(dirname "$0")/../lib.sh"
need_bpf

lines_of() {
	wc -l <"/proc/$1/maps"
}

plan 8

start "$PROG/mapped_much" -s 20
much=$started
ok "it has its mappings" within 20 grep -q ready "$T/started.out"
ok "they are many" [ "$(lines_of "$much")" -gt 64000 ]

pm -F 997 -U -p "$much" -o "$T/out.folded" 1
ok "a run of 1 s ends well" equal "$status" 0
ok "burn() has its name, and its caller" is_share "$(folded_sum "$T/out.folded" 'main;burn [0-9]+$')" \
	"$(folded_sum "$T/out.folded")" 100
ok "nothing is unknown" equal "$(folded_sum "$T/out.folded" 'unknown')" 0
says err "nothing is lost" 'nothing lost'

run "$PMUTRACE" count -I 500 --json --by ustack cpu-clock@1000000 -p "$much" 3
ok "intervals have names, too" grep -q '"main","burn"\]' "$T/out"
run "$PMUTRACE" top -b -n 3 -d 1 --by function
ok "so has top" grep -q '\bburn\b' "$T/out"
kill "$much"
