#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# top while CPUs go offline and come back: what is counted there goes on, and what could not be is
# told. Takes the last CPU away for a second or two, four times.
. "$(dirname "$0")/../lib.sh"
need_bpf

cpu=$(sed 's/.*[-,]//' /sys/devices/system/cpu/online)
switch=/sys/devices/system/cpu/cpu$cpu/online
all=$(getconf _NPROCESSORS_ONLN)
[ "$all" -gt 1 ] || skip_all "one-cpu: there is no other CPU to go on with"
[ -w "$switch" ] || skip_all "no-hotplug: CPU $cpu cannot be taken offline"
trap 'echo 1 2>/dev/null >"$switch"; end_test' EXIT
{ echo 0 >"$switch"; } 2>/dev/null || skip_all "no-hotplug: CPU $cpu is refused to be taken offline"
{ echo 1 >"$switch"; } 2>/dev/null || skip_all "no-hotplug: CPU $cpu does not come back"

leave() {
	echo 0 >"$switch"
}
# come - the loop, which had to move, goes on there
come() {
	echo 1 >"$switch"
	[ -z "${busy-}" ] || taskset -pc "$cpu" "$busy" >/dev/null
}
# keep_busy - the CPU, with page faults all the time
keep_busy() {
	start taskset -c "$cpu" sh -c 'while :; do (:); done'
	busy=$started
}
faults="-e page-faults,task-clock --columns time,page-faults"
# start_top ARGS.. - an object a line into $T/top.jsonl; returns when it counts. Its pid: $top
start_top() {
	: >"$T/top.jsonl"
	before_ticks=$(stolen_ticks)
	"$PMUTRACE" top -b --json -q --by cpu "$@" \
		>"$T/top.jsonl" 2>"$T/top.err" </dev/null &
	top=$!
	all_started="$all_started $top"
	within 60 shows 1
}
# shows N - intervals
shows() {
	[ "$(wc -l <"$T/top.jsonl")" -ge "$1" ]
}
# pass N - more intervals; how many there are then: $passed
pass() {
	passed=$(($(wc -l <"$T/top.jsonl") + $1))
	within 60 shows "$passed"
}
# end_top - all of its intervals, as a list, into $T/top.json; its exit status: $status
end_top() {
	kill -TERM "$top" 2>/dev/null
	status=0
	wait "$top" || status=$?
	stolen=$(($(stolen_ticks) - before_ticks))
	diag <"$T/top.err"
	{ echo '[' && paste -sd, "$T/top.jsonl" && echo ']'; } >"$T/top.json"
}
# of EXPR - $d are the intervals; in each $_: at(VALUE) is that of the CPU, lost() by reason
of() {
	json "$T/top.json" "sub at { my (\$i, \$v) = @_; sum0(map { \$_->{values}{\$v} } grep { \$_->{key}{cpu} == $cpu } @{\$i->{rows}}) }
		sub lost { \$_[0]{seen} - \$_[0]{kept} }
		sub total { my (\$i, \$e) = @_; sum0(map { \$_->{value} } grep { \$_->{event} eq \$e } @{\$i->{events}}) }
		$1"
}
# lost_counters - runs whose counters could not be read
lost_counters() {
	of 'sum0(map { $_->{losses}{counter_unreadable} } @$d)'
}
# faults_before - page faults of the CPU in the interval that there is yet
faults_before() {
	sed -n 1p "$T/top.jsonl" >"$T/one"
	json "$T/one" "sum0(map { \$_->{values}{'page-faults'} } grep { \$_->{key}{cpu} == $cpu } @{\$d->{rows}})"
}
# too_long - the intervals with more time than their CPUs had, as a ratio.
# Of all CPUs and tasks, the idle ones too: no more than there was. Two clocks, and the way to them,
# on which a CPU may be stolen. What was left at the end is too short by itself.
too_long() {
	of 'my @parts = map { [total($_, "task-clock"), $_->{duration_ns} * $_->{cpus}] } @$d;
		my $rest = pop @parts;
		$parts[-1][$_] += $rest->[$_] for 0, 1;
		join " ", map { $_->[0] / $_->[1] } grep { $_->[0] > $_->[1] * 1.03 + '"$stolen"'e7 } @parts'
}
ok_time() {
	ok "$1: no interval has more time than its CPUs" equal "$(too_long)" ""
}
# last_of VALUE - of the CPU, in the last whole interval
last_of() {
	of "at(\$d->[-2], '$1')"
}
# last_share - of that interval in which the CPU was busy
last_share() {
	of 'at($d->[-2], "time") / $d->[-2]{duration_ns}'
}
# counted_away - while it was
counted_away() {
	of "at(\$d->[$away - 1], 'time') + at(\$d->[$away - 1], 'page-faults')"
}
# cpus_in INTERVAL - counted from 0, or from the end
cpus_in() {
	of "\$d->[$1]{cpus}"
}
# ok_goes_on NAME - the last whole interval is as if nothing had happened
ok_goes_on() {
	ok "$1: page faults of the CPU are counted" between 10 "$(last_of page-faults)" 1e9
	ok "$1: so is the time" between 0.5 "$(last_share)" 1.03
	ok "$1: all CPUs are there" equal "$(cpus_in -2)" "$all"
	ok "$1: nothing is lost any more" equal "$(of 'lost($d->[-2])')" 0
	ok_time "$1"
}

plan 24

# Away for some intervals.
keep_busy
# shellcheck disable=SC2086 # words
start_top -d 0.4 --strict $faults
ok "before: page faults of the CPU are counted" between 10 "$(faults_before)" 1e9
leave
pass 3
away=$passed
come
pass 4
end_top
ok_goes_on "back"
ok "back: while it was away there was a CPU less" equal "$(cpus_in $((away - 1)))" $((all - 1))
ok "back: and nothing on it" equal "$(counted_away)" 0
ok "back: what was not counted is lost" between 1 "$(lost_counters)" 1e9
ok "back: which --strict says" equal "$status" 3

# Back before anybody looks.
# shellcheck disable=SC2086 # words
start_top -d 1 $faults
leave
come
pass 3
end_top
ok_goes_on "in between"
ok "in between: that something is missing is told" between 1 "$(lost_counters)" 1e9

# Not there at the start.
leave
# shellcheck disable=SC2086 # words
start_top -d 0.4 $faults
come
pass 4
end_top
ok_goes_on "new"
ok "new: at first there was a CPU less" equal "$(cpus_in 0)" $((all - 1))

# Without perf events nothing is missing: what programs know themselves.
start_top -d 0.4 -e task-clock --columns time
leave
pass 2
come
pass 3
end_top
ok_time "time alone"
ok "time alone: nothing is lost" equal "$(of 'join " ", map { my $l = $_->{losses}; map { "$_=$l->{$_}" } keys %$l } @$d')" ""
