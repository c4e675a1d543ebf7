#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# export --by while CPUs go offline and come back: what is counted there goes on, nothing goes back, and what
# could not be counted is told. Takes the last CPU away for a second or so, five times.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
. "$(dirname "$0")/../lib_cgroup.sh"
need_bpf
need_export

cpu=$(sed 's/.*[-,]//' /sys/devices/system/cpu/online)
switch=/sys/devices/system/cpu/cpu$cpu/online
[ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] || skip_all "one-cpu: there is no other CPU to go on with"
[ -w "$switch" ] || skip_all "no-hotplug: CPU $cpu cannot be taken offline"
need_cgroup
trap 'echo 1 2>/dev/null >"$switch"; remove_cgroups; end_test' EXIT
{ echo 0 >"$switch"; } 2>/dev/null || skip_all "no-hotplug: CPU $cpu is refused to be taken offline"
{ echo 1 >"$switch"; } 2>/dev/null || skip_all "no-hotplug: CPU $cpu does not come back"
plan 9

# work PAGES - on that CPU
work() {
	within_cgroup work taskset -c "$cpu" "$PROG/touch" -n "$1" -k 2
	made=$((made + $1))
}
faults() {
	sum pmutrace_cgroup_events_total "{cgroup=\"/$top/work\",container=\"\",event=\"page-faults\"}"
}
# is VALUE - what is told of the CPU: 0, away; 1, events are counted there
is() {
	get /metrics
	[ "$(sum pmutrace_perf_cpu_up "{cpu=\"$cpu\"}")" = "$1" ]
}
# What tasks used is looked at ten times a second at most.
look() {
	sleep 0.2
	get /metrics
}
# counts - for tasks, too: they have counters of their own
counts() {
	look
	before=$(faults)
	work 100
	look
	[ $(($(faults) - before)) -ge 100 ]
}
now_ms() { awk '{ print $1 * 1000 }' /proc/uptime; }
descriptors() { find "/proc/$exporter/fd" | wc -l; }
are_as_before() { [ "$(descriptors)" = "$descriptors" ]; }

serve --by cgroup,process -e page-faults
made=0
ok "page faults there are counted" within 10 counts
descriptors=$(descriptors)
: >"$T/untold" && : >"$T/back" && : >"$T/unclean"
least=1000000 least_there=1000000 late_ms=0
for round in 1 2 3 4 5; do
	cp "$T/body" "$T/first"
	echo 0 >"$switch"
	if ! within 10 is 0; then
		echo "$round: away" >>"$T/untold"
		break
	fi
	none_went_back "$T/first" "$T/body" >>"$T/back"
	cp "$T/body" "$T/first"
	sleep 0.5
	echo 1 >"$switch"
	back_ms=$(now_ms)
	within 10 is 1 || echo "$round: back" >>"$T/untold"
	late_ms=$((late_ms + $(now_ms) - back_ms))
	if ! within 10 counts; then
		echo "$round: counted again" >>"$T/untold"
		break
	fi
	none_went_back "$T/first" "$T/body" >>"$T/back"
	is_clean >>"$T/unclean" 2>&1
	before=$(faults) there=$(sum node_perf_page_faults_total "{cpu=\"$cpu\"}")
	work 3000
	look
	now=$(($(faults) - before))
	[ $now -ge $least ] || least=$now
	now=$(($(sum node_perf_page_faults_total "{cpu=\"$cpu\"}") - there))
	[ $now -ge $least_there ] || least_there=$now
done
echo 1 >"$switch"
ok "each time it is told that it is away, back, and counted on" test ! -s "$T/untold"
diag <"$T/untold"
ok "then a cgroup's page faults there are its program's" between 3000 $least 4000
ok "and are among those of the CPU" between 3000 $least_there 1000000
ok "nothing goes back" test ! -s "$T/back"
diag <"$T/back"
ok "nobody finds anything wrong with it" test ! -s "$T/unclean"
diag <"$T/unclean"
# It is looked at once a second: each time up to one in which it was away is taken for missed, too.
ok "for how long it was not counted is told" between 0.001 "$(sum pmutrace_perf_missed_seconds_total)" \
	"$(awk -v ms=$late_ms 'BEGIN { print ms / 1000 + 5 * 1.2 }')"
lost=$(sum pmutrace_task_timeslices_lost_total)
echo "# $made pages, $(faults) page faults counted, $lost timeslices lost, back for $late_ms ms before it was told"
ok "so is that tasks' sums are not whole" test $(($(faults) >= made || lost > 0)) = 1
ok "there are as many descriptors as before" within 5 are_as_before
