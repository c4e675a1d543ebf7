# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# lib_top.sh - `pmutrace top` that runs beside what a test does; sourced behind lib.sh.

# start_top ARGS.. - an object a line into $T/top.jsonl; returns when it counts. Its pid: $top
start_top() {
	"$PMUTRACE" top -b --json -q --columns time,switches "$@" >"$T/top.jsonl" 2>"$T/top.err" </dev/null &
	top=$!
	all_started="$all_started $top"
	within 60 counts
}
# It takes a higher priority when it has begun, or has ended: see src/run/runloop.c.
counts() {
	awk '$19 == -10 || $3 == "Z" { found = 1 } END { exit !found }' "/proc/$top/stat"
}
# end_top - now, unless it has ended; all of its intervals, as a list, into $T/top.json
end_top() {
	kill -TERM "$top" 2>/dev/null
	wait_top
}
wait_top() {
	wait "$top" || diag <"$T/top.err"
	forget "$top"
	{ echo '[' && paste -sd, "$T/top.jsonl" && echo ']'; } >"$T/top.json"
}
# of EXPR - $d are the intervals
of() {
	json "$T/top.json" "$1"
}
