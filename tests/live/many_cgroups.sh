#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# 10,000 cgroups (CGROUPS), as of containers: those in which nothing runs cost nothing; when a process has run in each, what
# it did is counted to the page fault, by export, top and profile --continuous, and beyond the limit of series in their sum.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
. "$(dirname "$0")/../lib_cgroup.sh"
. "$(dirname "$0")/../lib_growth.sh"
need_bpf
need_export
need_sizes
need_cgroup
freed_is_free
nr=${CGROUPS:-10000}
pages=5
plan 21

# tour CMD.. - in each of them a process touches so many pages, run by that command: some 1,500 a second, so that tables are read
# before they are full
tour() {
	"$@" "$PROG/cgroup_tour" "$mount/$top" "$nr" $pages 200
}

# each_has VALUE FILE [UNTOLD] - a line of each of our cgroups, which ends with the value; where the kernel did not tell a
# switch, two of them may have one another's; at most one in a hundred
each_has() {
	awk -v value="$1" -v count="$nr" -v untold="${3:-0}" '
		{ n[$NF]++ }
		END {
			odd = 2 * untold < count / 100 ? 2 * untold : count / 100
			for (v in n)
				print n[v] " times " v
			print "of " NR ", " odd " may have another"
			exit !(NR == count && n[value] >= count - odd)
		}' "$2"
}

# answered - the exporter's series, ours in $T/ours
answered() {
	get /metrics
	grep "^pmutrace_cgroup_events_total{cgroup=\"/$top/docker-" "$T/body" >"$T/ours"
}

untold() { sum pmutrace_task_untold_switches_total; }

# Nothing runs in them.
for command in top export; do
	row "$command" "$real" >"$T/before.$command"
done
"$PROG/cgroup_tour" "$mount/$top" "$nr"
ok "there are so many cgroups" equal "$(find "$mount/$top" -mindepth 1 -type d | wc -l)" "$nr"
for command in top export; do
	row "$command" "$real" >"$T/beside.$command"
	sed "s/^/# $command without: /" "$T/before.$command"
	sed "s/^/# $command with: /" "$T/beside.$command"
	# shellcheck disable=SC2046 # words
	set -- $(cat "$T/before.$command") $(cat "$T/beside.$command")
	ok "$command: descriptors and maps are as many" equal "${11} ${13}" "$2 $4"
	ok "$command: so are calls to start and end" between 0 "${15}" $(($6 + nr / 20))
	ok "$command: and those of a look" between -1000 "${17}" "$(awk -v n="$8" -v m="$nr" 'BEGIN { print n + m / 100 }')"
done

# Each has a series of an exporter, of another one 100 have; beside that top and a profile count.
serve --by cgroup -e page-faults
few=$exporter few_address=$address
answered
serve --by cgroup --series $((nr * 2)) -e page-faults
answered
ok "cgroups in which nothing has run are no series" equal "$(wc -l <"$T/ours")" 0
idle_kb=$(awk '$1 == "RssAnon:" { print $2 }' "/proc/$exporter/status")
"$PMUTRACE" top -q -b --by cgroup -e page-faults --csv -d 1 --rows all >"$T/top.csv" 2>"$T/top.err" &
top_pid=$!
all_started="$all_started $top_pid"
within 10 test -s "$T/top.csv"
many=$exporter many_address=$address
exporter=$few address=$few_address
tour "$PMUTRACE" profile --continuous --every 60s --out-dir "$T/files" -e page-faults -c 1 -- 2>"$T/profile.err" &
touring=$!
all_started="$all_started $touring"
# Of the last interval: a second after the tour there are none.
are_told() {
	get /metrics && others=$(sum pmutrace_cgroup_others) && [ "$others" -gt 100 ] && [ "$others" -le $((nr + 1000)) ]
}
ok "how many have no series is told, while they run" within 30 are_told
wait "$touring"
forget "$touring"
# Those without a series are one.
answered
ok "of the other 100 series, and one of the rest" equal "$(grep -c '^pmutrace_cgroup_cpu_seconds_total{' "$T/body")" 101
others=$(sum pmutrace_cgroup_events_total '{cgroup="other"')
ok "none is missing in the sum" between $((nr * pages)) \
	"$(awk -v others="$others" '{ n += $NF } END { print n + others }' "$T/ours")" $((nr * pages + 5000))
ok "nothing was lost" equal "$(sum pmutrace_task_timeslices_lost_total)" 0
echo "# $(wc -c <"$T/body") bytes of 100 series"
stop "$few"
exporter=$many address=$many_address

answered
ok "each of them has the page faults of its process" each_has $pages "$T/ours" "$(untold)"
ok "of which nothing was lost" equal "$(sum pmutrace_task_timeslices_lost_total)" 0
cp "$T/body" "$T/first"

# What has ended is in one of the intervals.
sleep 2
kill -INT "$top_pid"
wait "$top_pid"
forget "$top_pid"
awk -F , '$4 ~ /^docker:/ { n[$3] += $NF } END { for (c in n) print c, n[c] }' "$T/top.csv" >"$T/ours"
ok "top: each of them has them, too" each_has $pages "$T/ours" "$(untold)"
ok "and nothing was lost" test ! -s "$T/top.err"
for file in "$T"/files/*.pb.gz; do
	perl "$TOP/tests/pprof.pl" labels "$file"
done | grep "^cgroup /$top/docker-" | awk '{ n[$2] += $NF } END { for (c in n) print c, n[c] }' >"$T/ours"
ok "profile --continuous: and each has them" each_has $pages "$T/ours"

tour env
answered
ok "when they come again each has twice as many" each_has $((2 * pages)) "$T/ours" "$(untold)"
ok "nothing went back" none_went_back "$T/first" "$T/body"
ok "nobody finds anything wrong with it" is_clean
spent=$(sum process_cpu_seconds_total)
for _ in 1 2 3 4 5; do get /metrics; done
echo "# $(untold) switches untold, $(wc -c <"$T/body") bytes of all, of CPU time a request took" \
	"$(echo "$(sum process_cpu_seconds_total) $spent" | awk '{ printf "%.1f ms\n", ($1 - $2) * 200 }')"
used_kb=$(($(awk '$1 == "RssAnon:" { print $2 }' "/proc/$exporter/status") - idle_kb))
echo "# $idle_kb KB of memory before, $used_kb more with $nr series"
ok "a series takes no more than 4 KB of memory" between 0 "$used_kb" "$(memory $((4 * nr + 10000)))"
stop "$exporter"
