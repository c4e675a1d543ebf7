#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# export: counts agree with what the kernel counts itself (/proc/stat, /proc/vmstat) and never go back;
# promtool takes them; strangers' requests are answered or refused, and cost nothing.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
need_root
need_export
plan 61

ctxt() { sed -n 's/^ctxt //p' /proc/stat; }
pgfault() { sed -n 's/^pgfault //p' /proc/vmstat; }

serve
ok "says where, and for whom" grep -q "metrics at http://127.0.0.1:[0-9]*/metrics, for this machine alone" "$T/export.err"
ok "with no more privileges than it uses" sh -c 'perl -ne "/^CapEff:\\s*(\\S+)/ and exit !(hex(\$1) == (1 << 38))" "/proc/$1/status"' sh "$exporter"
ok "and no more CPU than others" equal "$(awk '{ print $19 }' "/proc/$exporter/stat")" "$(awk '{ print $19 }' /proc/$$/stat)"
get /metrics
ok "metrics" equal "$code" 200
ok "of the text format" grep -q '^content-type: text/plain; version=0.0.4; charset=utf-8$' "$T/head"
cp "$T/body" "$T/first"
# The kernel's own sums, read before and behind ours: ours are between them.
c0=$(ctxt) p0=$(pgfault)
get /metrics
c1=$(ctxt) p1=$(pgfault) s0=$(sum node_perf_context_switches_total) f0=$(sum node_perf_page_faults_total)
"$PROG/syscalls" -s 1 >/dev/null
sh -c 'for i in 1 2 3 4 5 6 7 8 9; do ls / >/dev/null; sleep 0.01; done'
c2=$(ctxt) p2=$(pgfault)
get /metrics
c3=$(ctxt) p3=$(pgfault) s1=$(sum node_perf_context_switches_total) f1=$(sum node_perf_page_faults_total)
ok "context switches are those of /proc/stat" between $(((c2 - c1) * 98 / 100)) $((s1 - s0)) $(((c3 - c0) * 102 / 100))
ok "page faults are those of /proc/vmstat" between $(((p2 - p1) * 98 / 100)) $((f1 - f0)) $(((p3 - p0) * 102 / 100))
# One is read after the other.
ok "minor and major faults are all" between $((f1 * 98 / 100)) \
	"$(($(sum node_perf_minor_faults_total) + $(sum node_perf_major_faults_total)))" $((f1 * 102 / 100))
ok "for each CPU that is online" equal "$(grep -c '^node_perf_page_faults_total{cpu=' "$T/body")" "$(nproc --all)"
ok "nothing goes back" none_went_back "$T/first" "$T/body"
ok "what there is none of says why" sh -c 'test "$(grep -c "^pmutrace_perf_event_up{.*reason=\"[^\"]\\+\"} 0" "$1")" = \
	"$(grep -c "^pmutrace_perf_event_up{.*} 0" "$1")"' sh "$T/body"
ok "and has no value" sh -c 'grep -q "^pmutrace_perf_event_up{event=\"cycles\",reason=\"\"} 1" "$1" || ! grep -q "^node_perf_cpucycles" "$1"' \
	sh "$T/body"
ok "nothing was missed" grep -q '^pmutrace_perf_missed_seconds_total 0$' "$T/body"

if command -v promtool >/dev/null; then
	ok "promtool finds nothing wrong" sh -c 'promtool check metrics <"$1"' sh "$T/body"
else
	skip 1 "no-prometheus: promtool is not installed"
fi
get /metrics 'Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5'
ok "OpenMetrics" grep -q '^content-type: application/openmetrics-text; version=1.0.0' "$T/head"
ok "ends as that does" equal "$(tail -n 1 "$T/body")" "# EOF"
ok "has the same samples" grep -q '^node_perf_page_faults_total{cpu="0"} ' "$T/body"
get /metrics 'Accept-Encoding: gzip'
ok "packed for who takes that" grep -q '^content-encoding: gzip' "$T/head"
ok "is the same" sh -c 'gzip -dc "$1" | grep -q "^node_perf_page_faults_total"' sh "$T/body"

# Descriptors and memory stay as they are.
files=$(find "/proc/$exporter/fd" | wc -l)
memory=$(awk '/^VmRSS/ { print $2 }' "/proc/$exporter/status")
perl -MHTTP::Tiny -e 'my $h = HTTP::Tiny->new; for (1 .. 500) { my $r = $h->get($ARGV[0]); die if $r->{status} != 200 }' \
	"http://$address/metrics"
ok "500 answers" test $? = 0
ok "take no descriptors" between 0 "$(find "/proc/$exporter/fd" | wc -l)" $((files + 2))
takes_at_most "and no memory" $((memory + 1024))
get /metrics
ok "are counted" between 500 "$(sum pmutrace_scrapes_total)" 600
ok "what they took is told" sh -c 'awk "/^process_cpu_seconds_total / { exit !(\$2 > 0) }" "$1"' sh "$T/body"

for path in /healthz /-/ready /-/healthy; do
	get $path
	ok "$path" equal "$code $(cat "$T/body")" "200 ok"
done
get /
ok "a page with the others" equal "$code-$(grep -c 'href="metrics"' "$T/body")" 200-1
for path in /metrics/ /metrics/../etc/passwd //metrics /%2e%2e/etc/passwd /debug/pprof; do
	get $path
	ok "$path is nothing" equal "$code" 404
done
ok "POST is refused" equal "$(raw 'POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc')" "HTTP/1.1 405 Method Not Allowed"
ok "HEAD is not" equal "$(raw 'HEAD /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')" "HTTP/1.1 200 OK"
# The script of a page of the web, whose own name leads to this machine.
for host in evil.example 127.0.0.1.evil.example localhost.evil.example 10.0.0.1 '[::2]' 'localhost:80@evil.example' ''; do
	ok "Host: '$host' is refused" equal "$(raw "GET /metrics HTTP/1.1\r\nHost: $host\r\nConnection: close\r\n\r\n")" "HTTP/1.1 403 Forbidden"
done
for host in 127.0.0.1 127.0.0.2:80 LocalHost:1 '[::1]' '[::1]:9870'; do
	ok "Host: '$host' is not" equal "$(raw "GET /healthz HTTP/1.1\r\nHost: $host\r\nConnection: close\r\n\r\n")" "HTTP/1.1 200 OK"
done
# fetched SITE - the status of a request of a page, which the browser says is of there
fetched() {
	raw "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: $1\r\nConnection: close\r\n\r\n"
}
ok "a page of another site is refused" equal "$(fetched cross-site) $(fetched same-site)" "HTTP/1.1 403 Forbidden HTTP/1.1 403 Forbidden"
ok "somebody who types it in is not" equal "$(fetched none) $(fetched same-origin)" "HTTP/1.1 200 OK HTTP/1.1 200 OK"
ok "as a proxy is asked" equal "$(raw "GET http://$address/healthz HTTP/1.1\r\nHost: $address\r\nConnection: close\r\n\r\n")" "HTTP/1.1 200 OK"
ok "GET with a body" equal \
	"$(raw "GET /healthz HTTP/1.1\r\nHost: $address\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")" "HTTP/1.1 200 OK"
raw "$(perl -e 'print "\\0\\377" x 5000')" >/dev/null
raw "GET / HTTP/1.1\r\nHost: localhost\r\nX: $(perl -e 'print "y" x 200000')\r\n\r\n" >/dev/null
raw 'GET /metrics HTTP/9.9\r\n\r\n' >/dev/null
raw 'GET' >/dev/null
get /healthz
ok "what is no HTTP, or too long, harms nobody" equal "$code" 200

# 1,000 who connect and say nothing; some who ask and do not read.
perl -MIO::Socket::INET -e '
	$SIG{PIPE} = "IGNORE";
	my @all = grep { $_ } map { IO::Socket::INET->new(PeerAddr => $ARGV[0], Blocking => 0) } 1 .. 1000;
	sleep 1;
	print { $_ } "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" x 50 for @all[0 .. 20];
	open my $f, ">", $ARGV[1]; print $f scalar @all; close $f; sleep 60' "$address" "$T/connected" &
crowd=$!
all_started="$all_started $crowd"
within 10 [ -s "$T/connected" ]
get /healthz
ok "a crowd of silent and slow ones keeps nobody waiting" equal "$code $(($(cat "$T/connected") >= 1000))" "200 1"
takes_at_most "and takes little memory" $((memory + 16384))
stop "$crowd"

kill -INT "$exporter"
wait "$exporter"
ok "Ctrl-C ends it" test $? = 0

serve --collector.perf.cpus 1 --collector.perf.software-profilers PageFault --collector.perf.tracepoint sched:sched_switch \
	--collector.perf.tracepoint nosuch:event --collector.perf.tracepoint nosuch:event \
	--collector.perf.disable-cache-profilers --collector.perf.disable-hardware-profilers
get /metrics
ok "its flags: one CPU, one event and a tracepoint" equal "$(grep -o '^node_perf_[^ ]*' "$T/body" | tr '\n' ' ')" \
	'node_perf_page_faults_total{cpu="1"} node_perf_sched_sched_switch{cpu="1"} '
ok "a tracepoint that is not there is told, and takes nothing along" \
	equal "$(grep -c '^pmutrace_perf_event_up{event="nosuch:event",reason="..*"} 0$' "$T/body")" 1
check 1 "an address that is taken" "$PMUTRACE" export --listen "$address"
says err "is told" "cannot listen on $address: Address already in use"
stop "$exporter"
check 2 "a name of nobody" "$PMUTRACE" export --collector.perf.hardware-profilers CpuCycle
check 2 "tracepoints of one name" "$PMUTRACE" export --listen 127.0.0.1:0 --collector.perf.tracepoint a_b:c --collector.perf.tracepoint a:b_c
