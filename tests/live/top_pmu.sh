#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# top with a PMU: what is charged to a loop with a known number of instructions, and their ratio to
# cycles, are those of stat.
. "$(dirname "$0")/../lib.sh"
need_bpf
"$PMUTRACE" stat -q --strict -e '{cycles,instructions}' -o "$T/out.json" -- true 2>/dev/null ||
	skip_all "pmu: this machine cannot count cycles and instructions"

loop=$PROG/loop
n=200000000

# ipc FILE EXPR - of what counts {cycles,instructions}
ipc() {
	json "$1" "my \$v = $2; \$v->{instructions} / \$v->{cycles}"
}
# It takes a higher priority when it has begun.
counts() {
	awk '$19 == -10 { found = 1 } END { exit !found }' "/proc/$top/stat"
}
# top ARGS.. - around the loop, on a CPU of its own; its row is that of $pid, an object in $T/top.json
top() {
	"$PMUTRACE" top -b --json -q -d 600 -e '{cycles,instructions}' "$@" >"$T/top.json" 2>"$T/top.err" &
	top=$!
	all_started="$all_started $top"
	within 60 counts
	taskset -c 0 "$loop" -n $n
	kill -TERM "$top"
	wait "$top" || diag <"$T/top.err"
}
row='(map { $_->{values} } grep { $_->{key}{comm} eq "loop" } @{$d->{rows}})[0]'
# of_loop COLUMN
of_loop() {
	json "$T/top.json" "($row)->{$1}"
}
# states - of the events
states() {
	json "$T/top.json" 'join " ", map { $_->{state} } @{$d->{events}}'
}
# near A B - within 2 %
near() {
	awk -v a="$1" -v b="$2" 'BEGIN { print a, b; exit !(a > b * 0.98 && a < b * 1.02) }'
}

plan 5
run "$PMUTRACE" stat -q -e '{cycles,instructions}' -o "$T/stat.json" -- taskset -c 0 "$loop" -n $n
known=$(ipc "$T/stat.json" '{ map { $_->{event} => $_->{value} } @{$d->{events}} }')
top --columns time,ipc
# A little more: what the kernel does for it.
ok "its instructions" between $n "$(of_loop instructions)" $((n * 103 / 100))
ok "per cycle as stat has it: within 2 %" near "$(ipc "$T/top.json" "$row")" "$known"
ok "the column says so" near "$(of_loop ipc)" "$known"
ok "counted all the time" equal "$(states)" "counted counted"
# Another task on the same CPU: its instructions are its own.
start taskset -c 0 "$PROG/burn" -s 600
top --columns time,ipc
ok "beside another on its CPU, too" between $n "$(of_loop instructions)" $((n * 103 / 100))
