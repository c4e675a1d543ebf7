#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make soak for half a minute: it says what it has seen, also when it is interrupted, and whatever ends it, nothing of
# it is left.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
need_bpf
need_export
plan 9

mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
# soak HOURS DIRECTORY - in the background; its pid is in $soak
soak() {
	HOURS=$1 SOAK_DIR=$T/$2 sh "$TOP/scripts/soak.sh" >"$T/$2.out" 2>&1 </dev/null &
	soak=$!
	all_started="$all_started $soak"
}
# rows N DIRECTORY - or more
rows() {
	[ "$(wc -l 2>/dev/null <"$T/$2/soak.csv")" -gt "$1" ] 2>/dev/null
}
# note_children - the exporter, the profiler, who asks, and the work, with what it has begun: $children
note_children() {
	children=
	for pid in $(pgrep -P "$soak"); do
		children="$children $pid $(pgrep -P "$pid" | tr '\n' ' ')"
	done
}
all_gone() {
	for pid in $children; do
		! kill -0 "$pid" 2>/dev/null || return 1
	done
	[ -z "$mount" ] || [ ! -e "$mount/pmutrace-soak.$soak" ]
}

soak 0.5 stopped
ok "a row is written after some seconds" within 60 rows 2 stopped
note_children
ok "an exporter, a profiler, who asks, and work are there" test "$(echo "$children" | wc -w)" -gt 4
kill -TERM "$soak"
status=0
wait "$soak" || status=$?
forget "$soak"
ok "it can be stopped, and says what it has seen" equal "$status $(tail -n 1 "$T/stopped.out")" "0 all is well"
diag <"$T/stopped.out"
ok "as it is in the directory" sh -c 'cd "$1" && tail -n 1 summary.txt | grep -q well && grep -q "</svg>" soak.svg && test ! -s notes.txt' sh "$T/stopped"
ok "its windows are files, and counted" sh -c 'n=$(ls "$1/profiles" | wc -l) && test "$n" -ge 1 &&
	awk -v n="$n" "/^windows/ { ok = \$2 >= 1 && \$2 <= n } END { exit !ok }" "$1/summary.txt"' sh "$T/stopped"
ok "nothing of it is left" all_gone

soak 0.5 killed
ok "another one" within 60 rows 1 killed
note_children
kill -KILL "$soak"
wait "$soak" 2>/dev/null
forget "$soak"
ok "of one that is killed nothing is left either" within 20 all_gone
HOURS=many run sh "$TOP/scripts/soak.sh"
says err "hours are a number" 'HOURS=many: a number of hours'
