#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# On hosts of 1, 2, 4 .. CPUs, up to those of this one, and of 512 that may come: perf events, memory of maps, and system calls
# to start and for each look grow in proportion to CPUs, and not with processes that sleep (SLEEPERS, 2,000).
# `make check-large` runs it on 64 CPUs.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
. "$(dirname "$0")/../lib_growth.sh"
need_bpf
need_sizes
sleepers=${SLEEPERS:-2000}
commands='profile stat top'
! "$PMUTRACE" -V | grep -q 'with export' || commands="$commands export"
each=9
[ "$real" -lt 4 ] || each=12
# Guests count instructions for time, and have nobody else: there CPU time and other files are asserted, too.
[ -z "${CYCLES_PER_INSTRUCTION-}" ] || [ "$real" -lt 4 ] || each=15
# shellcheck disable=SC2086 # words
plan $(($(echo $commands | wc -w) * each))

# rows COMMAND CPUS.. - a line each
rows() {
	of=$1
	shift
	for cpus; do
		row "$of" "$cpus"
	done
}

# perf_events COMMAND - on each CPU one for each event, and of profile one that tells of new processes and mappings
perf_events() {
	case $1 in
	profile) echo 17 ;;
	stat | top) echo 4 ;;
	export) echo 5 ;;
	esac
}

# exact COMMAND ROWS - there are so many, for each CPU that is there
exact() {
	awk -v each="$(perf_events "$1")" -v real="$real" '{
		cpus = $1 < real ? $1 : real
		print $1 " CPUs: " $2 " perf events"
		if ($2 != cpus * each)
			bad = 1
	} END { exit bad || NR < 2 }' "$2"
}

# in_proportion ROWS COLUMN SLACK - the last steps, from a quarter of the CPUs on, take as much for each as those before them;
# but for a half of that, and SLACK
in_proportion() {
	awk -v column="$2" -v slack="$3" '
		{ cpus[NR] = $1; value[NR] = $column; print $1 " CPUs: " $column }
		END {
			if (NR < 3)
				exit 1
			for (mid = NR - 1; mid > 2 && cpus[mid] > cpus[NR] / 4;)
				mid--
			first = (value[mid] - value[1]) / (cpus[mid] - cpus[1])
			last = (value[NR] - value[mid]) / (cpus[NR] - cpus[mid])
			print first " for each, then " last
			exit !(last <= 1.5 * (first > 0 ? first : 0) + slack)
		}' "$1"
}

# few_files_more - of all CPUs than of one: in a guest nobody else runs, whose files would be open to be read
few_files_more() {
	awk '{ files[NR] = $3 } END { print files[1] " and then " files[NR]; exit !(NR > 1 && files[NR] - files[1] <= NR) }' "$T/there"
}

# of_cpus COMMAND - by those that are there, and by those that may come
of_cpus() {
	# shellcheck disable=SC2046 # words
	rows "$1" $(awk -v n="$real" 'BEGIN { for (i = 1; i < n; i *= 2) print i; print n }') >"$T/there"
	{ tail -n 1 "$T/there" && rows "$1" 128 512; } >"$T/may_come"
	sed "s/^/# $1 /" "$T/there" && tail -n 2 "$T/may_come" | sed "s/^/# $1 /"
	sort -u "$T/there" "$T/may_come" >"$T/all"
	ok "$1: perf events are those of each CPU" exact "$1" "$T/all"
	ok "$1: maps grow with CPUs that may come" in_proportion "$T/may_come" 4 16
	ok "$1: so do calls to start and end" in_proportion "$T/may_come" 6 4
	ok "$1: and calls of a look" in_proportion "$T/may_come" 8 1
	[ "$real" -ge 4 ] || return 0
	ok "$1: maps grow with CPUs" in_proportion "$T/there" 4 64
	ok "$1: so do calls to start and end" in_proportion "$T/there" 6 8
	ok "$1: and calls of a look" in_proportion "$T/there" 8 2
	[ -n "${CYCLES_PER_INSTRUCTION-}" ] || return 0
	ok "$1: no other files for each CPU" few_files_more
	ok "$1: and CPU time to start and end, ms" in_proportion "$T/there" 7 2
	ok "$1: and of a look, us" in_proportion "$T/there" 9 200
}

# beside_sleepers COLUMN - "BEFORE BESIDE", of the machine as it is
beside_sleepers() {
	echo "$(tail -n 1 "$T/there" | cut -d ' ' -f "$1") $(cut -d ' ' -f "$1" "$T/beside_sleepers")"
}

# grows_at_most COLUMN BY
grows_at_most() {
	beside_sleepers "$1" | awk -v by="$2" '{ print $2 - $1 " more, at most " by; exit !(NF == 2 && $2 - $1 <= by) }'
}

# Where tasks are counted, tables have room for two keys of each, 1.2 KB each, for when all wake up at once. A profile
# reads once which files each process has mapped, before that may end: four calls, and some more for those in the way.
with_sleepers() {
	start "$PROG/crowd" -n "$sleepers" -i 86400000
	crowd=$started
	within 60 grep -q awake "$T/started.out" || echo "# the crowd is not there"
	rows "$1" "$real" >"$T/beside_sleepers"
	stop "$crowd"
	sed "s/^/# $1 beside $sleepers asleep: /" "$T/beside_sleepers"
	kb=0 calls=$((sleepers / 2)) calls_of_look=$((sleepers / 20))
	case $1 in
	top | export) kb=$((sleepers * 12 / 5)) ;;
	profile) calls=$((sleepers * 5)) calls_of_look=$((sleepers / 2)) ;;
	esac
	ok "$1: no perf event by processes that sleep" grows_at_most 2 0
	ok "$1: nor other files" grows_at_most 3 $((sleepers / 10))
	ok "$1: nor memory of maps, but room for when they wake" grows_at_most 4 "$kb"
	ok "$1: nor calls to start and end" grows_at_most 6 "$calls"
	ok "$1: nor of a look" grows_at_most 8 "$calls_of_look"
}

for command in $commands; do
	of_cpus "$command"
	with_sleepers "$command"
done
