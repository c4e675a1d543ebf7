#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# export's exemplars: each is a call that there was, in its bucket, with who made it and when; Prometheus stores each
# once, and finds nothing wrong with them.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
need_bpf
need_export
"$PMUTRACE" -V | grep -q 'with configuration files' || skip_all "no-yaml: built without libyaml"
calls=$PROG/calls
plan 15

cat >"$T/pmutrace.yaml" <<-END
	listen: 127.0.0.1:0
	metrics:
	  spread: func $calls:rest --hist time
	  each: func $calls:rest --by pid
	  bytes: count uprobe:$calls:work --hist arg0
END
serve_where --config "$T/pmutrace.yaml"
# all_up - all lines count by now
all_up() {
	get /metrics && [ "$(grep -c '^pmutrace_probe_up{.*} 1$' "$T/body")" = 3 ]
}
within 20 all_up
begin=$(date +%s)
start "$calls" work=5,100,1000 rest=20,6 rest=200,4
pid=$started
wait "$pid"
forget "$pid"
end=$(date +%s)
# has_come METRIC N - so many hits have
has_come() {
	get /metrics && [ "$(sum pmutrace_probe_hits_total "metric=\"$1\"")" = "$2" ]
}
for name in spread each; do
	within 10 has_come $name 10
done
ok "all calls have come" has_come spread 10
ok "the text format has no exemplars" equal "$(grep -c ' # ' "$T/body")" 0
get /metrics 'Accept: application/openmetrics-text;version=1.0.0'
ok "OpenMetrics has some" between 3 "$(grep -c ' # ' "$T/body")" 100
# ranges METRIC - of the exemplars of its buckets: how often they are, and are not, above the bucket's lower and not
# above its upper bound
ranges() {
	awk -v metric="metric=\"$1\"" 'index($0, metric) && /_bucket{/ {
		low = high
		high = $0; sub(/.*le="/, "", high); sub(/".*/, "", high)
		if (!/ # /)
			next
		value = $0; sub(/.* # {[^}]*} /, "", value); sub(/ .*/, "", value)
		is[value + 0 > low + 0 && (high == "+Inf" || value + 0 <= high + 0) ? "in" : "out"]++
	} END { print is["in"] + 0, is["out"] + 0 }' "$T/body"
}
# Two, and others where a busy machine let somebody sleep for longer.
times=$(ranges spread)
nr_times=${times% *}
ok "in a bucket of times there is one" equal "$((nr_times >= 2 && nr_times <= 10)) ${times#* }" "1 0"
ok "in a bucket of numbers there is one" equal "$(ranges bytes)" "3 0"
ok "of the three numbers" equal "$(sed -n '/metric="bytes"/s/.*_bucket.* # {[^}]*} \([0-9]*\) .*/\1/p' "$T/body" | tr '\n' ' ')" "5 100 1000 "
ok "what a series says its exemplar does not" equal "$(sed -n "s/^pmutrace_probe_hits_total{metric=\"each\",pid=\"$pid\"} 10 # \(.*\) 1 .*/\1/p" "$T/body")" \
	"{tid=\"$pid\",comm=\"calls\"}"

command -v prometheus >/dev/null || { skip 8 "no-prometheus: it is not installed" && exit; }
cat >"$T/prometheus.yml" <<-END
	global: {scrape_interval: 1s}
	scrape_configs:
	  - job_name: pmutrace
	    static_configs:
	      - targets: ['$address']
END
port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
start prometheus --enable-feature=exemplar-storage --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/tsdb" \
	--web.listen-address="127.0.0.1:$port" --log.level=error
# api PATH - what Prometheus answers, into $T/answer
api() {
	perl -MHTTP::Tiny -e 'print HTTP::Tiny->new->get("http://127.0.0.1:$ARGV[0]$ARGV[1]")->{content}' "$port" "$1" >"$T/answer"
}
# stored EXPR - of the exemplars that Prometheus has of times, in a list: $_, with `le`, the bucket's bound
stored() {
	api "/api/v1/query_exemplars?query=pmutrace_probe_duration_seconds_bucket&start=$begin&end=$(($(date +%s) + 1))"
	json "$T/answer" "my @all = map { my \$s = \$_; map { { %\$_, le => \$s->{seriesLabels}{le} } } @{\$s->{exemplars}} } @{\$d->{data}}; $1"
}
is_stored() { [ "$(stored 'scalar @all')" = "$nr_times" ]; }
scrapes() {
	api '/api/v1/query?query=count_over_time(up%5B10m%5D)'
	json "$T/answer" '$d->{data}{result}[0]{value}[1] // 0'
}
has_scraped() { [ "$(scrapes)" -ge "$1" ]; }
ok "Prometheus stores them" within 30 is_stored
ok "and asks again" within 60 has_scraped $(($(scrapes) + 4))
ok "each once, however often it is answered" equal "$(stored 'scalar @all')" "$nr_times"
ok "in their buckets" equal "$(stored 'scalar grep { $_->{value} <= $_->{le} && $_->{value} > $_->{le} / 2.001 } @all')" "$nr_times"
ok "of 20 ms and more, and of 200" equal "$(stored 'my %n = map { ($_->{value} >= 0.2 ? 200 : $_->{value} >= 0.02 ? 20 : 0) => 1 } @all; join " ", sort { $a <=> $b } keys %n')" "20 200"
ok "by the program that made the calls" equal "$(stored 'my %n = map {; "$_->{labels}{pid} $_->{labels}{tid} $_->{labels}{comm}" => 1 } @all; join ",", keys %n')" \
	"$pid $pid calls"
ok "when it made them" equal "$(stored "scalar grep { \$_->{timestamp} >= $begin && \$_->{timestamp} <= $end + 1 } @all")" "$nr_times"
ok "none came too late or twice" equal "$(perl -MHTTP::Tiny -e '
	print HTTP::Tiny->new->get("http://127.0.0.1:$ARGV[0]/metrics")->{content}' "$port" |
	awk '/^prometheus_tsdb_exemplar_out_of_order_exemplars_total / { print $2 }')" 0
