#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# export --config: lines of a file count what a program is known to do; they go on over a reload, which changes what it
# says and nothing else; what is wrong with a file, or with one line, is told and stops nothing else.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
need_bpf
need_export
note_pids
"$PMUTRACE" -V | grep -q 'with configuration files' || skip_all "no-yaml: built without libyaml"
plan 50

calls=$PROG/calls
config=$T/pmutrace.yaml

# write LINE.. - a file of these metrics
write() {
	{
		echo "listen: 127.0.0.1:0"
		echo "series: 20"
		echo "metrics:"
		printf '  %s\n' "$@"
	} >"$config"
}
# value SERIES - of $T/body; "": there is no such series
value() {
	awk -v s="$1" 'index($0, s " ") == 1 { print $NF }' "$T/body"
}
# is_up METRIC - it counts by now
is_up() {
	get /metrics && [ "$(value "pmutrace_probe_up{metric=\"$1\",reason=\"\"}")" = 1 ]
}
# has_come SERIES VALUE - it has this value by now
has_come() {
	get /metrics && [ "$(value "$1")" = "$2" ]
}
# lines_of EXPORTER - the processes that count its lines, by number
lines_of() {
	pgrep -P "$(pgrep -P "$1" pmut-starter)"
}
# has_lines EXPORTER NR
has_lines() {
	[ "$(lines_of "$1" | wc -l)" = "$2" ]
}
count_calls="hits: count 'uprobe:$calls:work'"

write "$count_calls" "sums: count uprobe:$calls:work --sum arg0" \
	"spread: count uprobe:$calls:work --hist arg0 --lhist 0,10,5" \
	"each: count uprobe:$calls:work --by arg0,comm" "times: func $calls:work --hist time -e page-faults" \
	"bad: count sched:sched_nothing"
serve_where --config "$config"
ok "its lines count" within 20 is_up times
for name in hits sums spread each; do
	within 20 is_up $name
done
"$calls" work=1..10
ok "a probe's hits" within 10 has_come "pmutrace_probe_hits_total{metric=\"hits\",probe=\"uprobe:$calls:work\"}" 10
# what_came METRIC NR - in all of its series together
what_came() {
	get /metrics && [ "$(sum pmutrace_probe_seen_total "metric=\"$1\"")" = "$2" ]
}
for name in sums spread each times; do
	within 10 what_came $name 10
done
at="probe=\"uprobe:$calls:work\""
ok "a field's sum" equal "$(value "pmutrace_probe_value_sum{metric=\"sums\",field=\"arg0\",$at}") $(value \
	"pmutrace_probe_value_count{metric=\"sums\",field=\"arg0\",$at}")" "55 10"
ok "how it spreads: 1 to 4, 5 to 9, 10" equal "$(for le in -1 4 9 +Inf; do
	value "pmutrace_probe_distribution_bucket{metric=\"spread\",field=\"arg0\",$at,le=\"$le\"}"
done | tr '\n' ' ')" "4 9 10 "
ok "by key" equal "$(value 'pmutrace_probe_hits_total{metric="each",comm="calls",arg0="7"}')" 1
ok "all keys are there" equal "$(sum pmutrace_probe_hits_total 'metric="each"')" 10
ok "calls of a function" equal "$(value 'pmutrace_probe_hits_total{metric="times",func="work"}')" 10
ok "how long they took: all of them" equal "$(value \
	'pmutrace_probe_duration_seconds_bucket{metric="times",field="time",func="work",le="+Inf"}') $(value \
	'pmutrace_probe_duration_seconds_count{metric="times",field="time",func="work"}')" "10 10"
ok "a leaf's time is its own" equal "$(value 'pmutrace_probe_seconds_total{metric="times",part="self",func="work"}')" \
	"$(value 'pmutrace_probe_duration_seconds_sum{metric="times",field="time",func="work"}')"
ok "buckets do not decrease" sh -c 'grep "_bucket.*times" "$1" | awk "{ if (\$NF < was) exit 1; was = \$NF } END { exit NR < 2 }"' \
	sh "$T/body"
ok "events of calls" grep -q '^pmutrace_probe_events_total{metric="times",event="page-faults",func="work"}' "$T/body"
ok "a line that cannot count says why" sh -c \
	'grep -q "^pmutrace_probe_up{metric=\"bad\",reason=\"unknown tracepoint .*sched_nothing.*\"} 0" "$1"' sh "$T/body"
ok "it is in the log, once" equal "$(grep -c 'metric bad does not count: unknown tracepoint' "$T/export.err")" 1
ok "for how long it did not is told" between 1 "$(sum pmutrace_probe_missed_seconds_total 'metric="bad"' | cut -d. -f1)" 60
ok "nothing was lost" equal "$(sum pmutrace_probe_seen_total 'metric="each"') $(sum pmutrace_probe_lost_total)" "10 0"
ok "what is answered is clean" is_clean
get /metrics 'Accept: application/openmetrics-text'
ok "in OpenMetrics, too" equal "$(tail -n 1 "$T/body") $(grep -c '^# TYPE pmutrace_probe_distribution histogram' "$T/body")" "# EOF 1"
ok "who answers has three capabilities" sh -c \
	'perl -ne "/^CapEff:\\s*(\\S+)/ and exit !(hex(\$1) == (1 << 38 | 1 << 39 | 1 << 2))" "/proc/$1/status"' sh "$exporter"

# What stays the same goes on; what changes begins anew.
cp "$T/body" "$T/before"
write "$count_calls" "sums: count uprobe:$calls:work --sum arg0 --filter 'arg0 > 5'" "news: count uprobe:$calls:work_one"
kill -HUP "$exporter"
ok "a reload is told" within 10 grep -q 'pmutrace.yaml was read again, and is in use' "$T/export.err"
within 20 is_up news
within 20 is_up sums
"$calls" work=1..10 some
ok "a line that is the same goes on" within 10 has_come "pmutrace_probe_hits_total{metric=\"hits\",$at}" 20
ok "one that changed begins anew" within 10 has_come "pmutrace_probe_value_sum{metric=\"sums\",field=\"arg0\",$at}" 40
ok "a new one counts" within 10 has_come "pmutrace_probe_hits_total{metric=\"news\",probe=\"uprobe:$calls:work_one\"}" 1
ok "one that is not there any more is gone" equal "$(grep -c 'metric="each"' "$T/body")" 0
ok "its process, too" within 10 has_lines "$exporter" 3
ok "a metric says so" equal "$(value pmutrace_config_last_reload_successful)" 1

# A bad one changes nothing.
loaded=$(value pmutrace_config_last_reload_success_timestamp_seconds)
printf 'listen: 127.0.0.1:0\nseries: 20\nmetrics:\n  hits: count\n' >"$config"
kill -HUP "$exporter"
ok "a bad one is refused" within 10 grep -q 'stays as it was: .*pmutrace.yaml:4: hits: count of what' "$T/export.err"
get /metrics
ok "a metric says that" equal "$(value pmutrace_config_last_reload_successful) $(value \
	pmutrace_config_last_reload_success_timestamp_seconds)" "0 $loaded"
printf 'listen: 127.0.0.1:0\nseries: 20\nby: nothing\n' >"$config"
kill -HUP "$exporter"
ok "a wrong option is" within 10 grep -q "stays as it was: --by takes cgroup, process or both, not 'nothing'" "$T/export.err"
printf 'listen: nowhere:0\nseries: 20\n' >"$config"
kill -HUP "$exporter"
ok "an address that is not this machine's is" within 10 grep -q "stays as it was: .*nowhere" "$T/export.err"
rm "$config"
kill -HUP "$exporter"
ok "a file that is gone is" within 10 grep -q 'stays as it was: .*pmutrace.yaml: No such file' "$T/export.err"
"$calls" work=1
ok "and all goes on" within 10 has_come "pmutrace_probe_hits_total{metric=\"hits\",$at}" 21

# Other parts are exchanged without those that stay.
write "$count_calls"
sed -i 's/127.0.0.1:0/127.0.0.2:0/; s/^series.*/&\nby: process/' "$config"
kill -HUP "$exporter"
within 10 grep -q 'http://127.0.0.2' "$T/export.err"
address=$(sed -n 's,.*http://\(127.0.0.2:[^/]*\)/.*,\1,p' "$T/export.err")
ok "it listens elsewhere" within 10 has_come "pmutrace_probe_hits_total{metric=\"hits\",$at}" 21
ok "with metrics of processes" grep -q '^pmutrace_process_cpu_seconds_total' "$T/body"

# The port of one address becomes that of all, and back: it is its own.
port=${address#*:}
sed -i "s/127.0.0.2:0/0.0.0.0:$port/" "$config"
kill -HUP "$exporter"
ok "its own port can be that of all addresses" within 10 grep -qF "http://0.0.0.0:$port/" "$T/export.err"
address=127.0.0.1:$port
ok "where it answers" has_come "pmutrace_probe_hits_total{metric=\"hits\",$at}" 21
check 1 "nobody else's" timeout 10 "$PMUTRACE" export --listen "127.0.0.2:$port"
says err "which says so" 'cannot listen on .*in use'
sed -i "s/0.0.0.0:$port/127.0.0.2:$port/" "$config"
: >"$T/export.err"
kill -HUP "$exporter"
ok "and of one again" within 10 grep -qF "http://127.0.0.2:$port/" "$T/export.err"
address=127.0.0.2:$port
ok "where it answers then" has_come "pmutrace_probe_hits_total{metric=\"hits\",$at}" 21

# A line that is killed is started again.
within 10 has_lines "$exporter" 1
kill -9 "$(lines_of "$exporter")"
ok "one that is killed is told" within 10 has_come 'pmutrace_probe_ended_total{metric="hits"}' 1
ok "and does not count" equal "$(value 'pmutrace_probe_up{metric="hits",reason="it has ended"}')" 0
ok "it is started again" within 20 is_up hits
"$calls" work=1..3
ok "and goes on with its sums" within 10 has_come "pmutrace_probe_hits_total{metric=\"hits\",$at}" 24
ok "nothing went back" none_went_back "$T/before" "$T/body"

# Whoever is killed leaves nothing behind.
family="$(pgrep -P "$exporter" pmut-starter) $(lines_of "$exporter")"
kill -9 "$exporter"
are_gone() {
	for member in $family; do
		[ ! -d "/proc/$member" ] || return 1
	done
}
ok "its lines end with it, and who started them" within 10 are_gone

# What has no room is "other".
write "each: count uprobe:$calls:work --by arg0"
serve --config "$config" --series 2 --collector.perf.cpus 0
within 20 is_up each
"$calls" work=1..10
within 10 has_come 'pmutrace_probe_hits_total{metric="each",arg0="other"}' 8
ok "the command line's options come first" equal "$(grep -c 'pmutrace_probe_hits_total{metric="each"' "$T/body") $(sum \
	pmutrace_probe_hits_total 'metric="each"')" "3 10"
stop "$exporter"

# The example in docs: each of its lines is one that counts.
serve --config "$TOP/docs/export/pmutrace-export.yaml"
all_up() {
	get /metrics && [ "$(grep -c '^pmutrace_probe_up{.*} 1$' "$T/body")" = 4 ]
}
ok "all lines of the example count" within 20 all_up
ok "what is answered of them is clean" is_clean
stop "$exporter"

# run with SIGHUP but without a file: ends, as ever.
serve
kill -HUP "$exporter"
ok "without a file SIGHUP ends it" within 10 sh -c '! kill -0 "$1" 2>/dev/null' sh "$exporter"
ok "nothing of them is left" equal "$(probes_left)" 0
