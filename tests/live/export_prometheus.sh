#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# export under Prometheus, once a second for a minute, while tasks and cgroups come and go: each scrape is
# stored, known work is what Prometheus says of it, nothing goes back, and of docs/export/alerts.yml none fires
# but the one that should.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
. "$(dirname "$0")/../lib_cgroup.sh"
need_bpf
need_export
command -v prometheus >/dev/null || skip_all "no-prometheus: it is not installed"
need_cgroup
plan 20

serve --series 2000 --by cgroup,process -e page-faults,context-switches,cpu-migrations
# What lasts for a moment is enough for an alert: none may be about to fire.
sed 's/^\( *for:\) .*/\1 3s/' "$TOP/docs/export/alerts.yml" >"$T/alerts.yml"
cat >"$T/prometheus.yml" <<-END
	global: {scrape_interval: 1s, evaluation_interval: 1s}
	rule_files: [$T/alerts.yml]
	scrape_configs:
	  - job_name: pmutrace
	    static_configs:
	      - targets: ['$address']
END
port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
start prometheus --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/tsdb" --web.listen-address="127.0.0.1:$port" \
	--log.level=error

# api PATH - what Prometheus answers, into $T/answer
api() {
	perl -MHTTP::Tiny -e 'print HTTP::Tiny->new->get("http://127.0.0.1:$ARGV[0]$ARGV[1]")->{content}' "$port" "$1" >"$T/answer"
}
# look QUERY - its only value, as of now. Differences of two are exact; increase() and rate() estimate what
# was before the first sample and is behind the last one.
look() {
	api "/api/v1/query?query=$(perl -e '$_ = $ARGV[0]; s/(\W)/sprintf "%%%02x", ord $1/ge; print' "$1")"
	json "$T/answer" '$d->{data}{result}[0]{value}[1]' 2>/dev/null
}
# scraped N - times, or more often
scraped() {
	[ "$(look 'count_over_time(up[10m])')" -ge "$1" ] 2>/dev/null
}
# pass N - scrapes
pass() {
	within 60 scraped $(($(look 'count_over_time(up[10m])') + $1))
}
# alerts - about the exporter, that fire or are about to
alerts() {
	api /api/v1/alerts
	json "$T/answer" 'join " ", sort map { "$_->{labels}{alertname} $_->{state}" } grep { $_->{labels}{alertname} =~ /^Pmutrace/ } @{$d->{data}{alerts}}'
}
is_down() { [ "$(alerts)" = "PmutraceDown firing" ]; }
# went_back - metrics that did, by name
went_back() {
	api '/api/v1/label/__name__/values'
	for name in $(json "$T/answer" 'join " ", grep { /_total$/ } @{$d->{data}}'); do
		[ "$(look "sum(resets(${name}[10m]))")" = 0 ] || echo "$name"
	done
}
# known_work CMD.. - in the cgroup "known". What the kernel has counted of it since it was there is added
# to $faults and $switches.
known_work() {
	perl -e 'my ($group, @command) = @ARGV;
		sub counted {
			my ($stat, $status) = map { open my $f, "<", "/proc/$_[0]/$_" or die; join "", <$f> } "stat", "status";
			my @of = split " ", $stat =~ s/.*\)//sr;
			my $switches = 0;
			$switches += $1 while $status =~ /ctxt_switches:\s+(\d+)/g;
			return ($of[0], $of[7] + $of[9], $switches);
		}
		pipe my $read, my $write or die;
		my $pid = fork;
		if (!$pid) {
			open my $f, ">", "$group/cgroup.procs" or die; print $f $$; close $f;
			syswrite $write, join(" ", counted $$) . "\n";
			open STDOUT, ">", "/dev/null" or die; exec @command;
		}
		my @begin = split " ", <$read>;
		my @end;
		do { select undef, undef, undef, 0.05 } while (@end = counted $pid)[0] ne "Z";
		waitpid $pid, 0;
		printf "%d %d\n", $end[1] - $begin[1], $end[2] - $begin[2]; exit $? != 0' \
		"$mount/$top/known" "$@" >"$T/counted" || echo "# failed: $*"
	read -r more_faults more_switches <"$T/counted"
	faults=$((faults + more_faults)) switches=$((switches + more_switches))
}
known='{cgroup="'/$top/known'"'
# Those that have left, too: who ended a minute ago has no series any more.
all_processes='count(count_over_time(pmutrace_process_cpu_seconds_total[10m]))'
# note - what Prometheus says of it: page faults, context switches, microseconds
note() {
	noted_faults=$(look "pmutrace_cgroup_events_total$known,event=\"page-faults\"}")
	noted_switches=$(look "pmutrace_cgroup_context_switches_total$known}")
	noted_us=$(look "pmutrace_cgroup_cpu_seconds_total$known} * 1e6")
	used_us=$(awk '$1 == "usage_usec" { print $2 }' "$mount/$top/known/cpu.stat")
}
# is_within_1_percent N OF
is_within_1_percent() {
	between "$(awk -v n="$2" 'BEGIN { print n * 0.99 }')" "$1" "$(awk -v n="$2" 'BEGIN { print n * 1.01 }')"
}
minus() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.0f\n", a - b }'; }
descriptors() { find "/proc/$exporter/fd" | wc -l; }
are_no_more() { [ "$(descriptors)" -le "$descriptors" ]; }

ok "Prometheus asks it" within 60 scraped 3
descriptors=$(descriptors)
before_series=$(look "$all_processes")
start perl "$TOP/scripts/soak/work.pl" 0.12 "$mount/$top/others"
start perl "$TOP/scripts/soak/work.pl" 0.12 "$mount/$top/more"
within_cgroup known sleep 2
pass 2
note
faults=0 switches=0 before_faults=$noted_faults before_switches=$noted_switches
# Others may run the program, too.
cp "$PROG/touch" "$T/touch.$$"
known_work "$T/touch.$$" -n 40000 -k 1 -u 500
pass 2
note
# Of each short timeslice cpu.stat has some microseconds more, in which the kernel chooses and tells it.
before_us=$noted_us before_used_us=$used_us
known_work "$PROG/burn" -s 5
pass 2
note
ok "page faults of a cgroup are those that the kernel counted" is_within_1_percent $((noted_faults - before_faults)) "$faults"
ok "which are the 40,000 that it made, and some to begin with" between 40000 "$faults" 40800
ok "so are its context switches" is_within_1_percent $((noted_switches - before_switches)) "$switches"
ok "its CPU time is that of cpu.stat" is_within_1_percent "$(minus "$noted_us" "$before_us")" $((used_us - before_used_us))
ok "by process the page faults are as many" between 40000 \
	"$(look "sum(pmutrace_process_events_total{comm=\"touch.$$\",event=\"page-faults\"})")" 40400
get /metrics
ok "what was stored is what is answered" equal "$noted_faults" "$(sum pmutrace_cgroup_events_total "$known,container=\"\",event=\"page-faults\"}")"
ok "nobody finds anything wrong with it" is_clean

ok "it goes on for a minute" within 60 scraped 60
ok "each time it answered" equal "$(look 'min_over_time(up[10m])')" 1
# But for the one above.
ok "no oftener than it says" equal "$(look 'pmutrace_scrapes_total - on(instance) count_over_time(up[10m])')" 0
ok "a series for each CPU" equal "$(look 'count(node_perf_context_switches_total)')" "$(nproc --all)"
ok "others came" between 100 "$(($(look "$all_processes") - before_series))" 2000
ok "none was stored twice, or late" equal "$(perl -MHTTP::Tiny -e '
	print HTTP::Tiny->new->get("http://127.0.0.1:$ARGV[0]/metrics")->{content}' "$port" |
	awk '/^prometheus_target_scrapes_sample_(duplicate_timestamp|out_of_bounds|out_of_order)_total / { n++; sum += $2 } END { print n, sum }')" "3 0"
ok "nothing went back" equal "$(went_back)" ""
api /api/v1/rules
ok "all rules can be evaluated" equal "$(json "$T/answer" 'scalar grep { $_->{health} eq "ok" } map { @{$_->{rules}} } @{$d->{data}{groups}}')" \
	"$(grep -c ' expr:' "$T/alerts.yml")"
ok "no alert is about to fire" equal "$(alerts)" ""

perl -MHTTP::Tiny -e 'for (1 .. 100) { my $r = HTTP::Tiny->new(keep_alive => 0)->get($ARGV[0]); die if $r->{status} != 200 }' \
	"http://$address/metrics"
ok "100 more requests" test $? = 0
ok "all of it takes no descriptors" within 5 are_no_more
stop "$exporter"
ok "when it has ended, one fires" within 30 is_down
