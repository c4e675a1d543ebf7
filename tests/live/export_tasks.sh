#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# export --by: what cgroups and processes use is what the kernel says that they do (cpu.stat, /proc/PID, /proc/vmstat),
# whoever comes and goes, whatever they are called, and however many there are.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
. "$(dirname "$0")/../lib_cgroup.sh"
need_bpf
need_export
need_cgroup
plan 43

# of NAME - labels of its series
of() {
	echo "{cgroup=\"/$top/$1\",container=\"\""
}

pgfault() { sed -n 's/^pgfault //p' /proc/vmstat; }
usage_ns() { awk '$1 == "usage_usec" { print $2 * 1000 }' "$mount/$top/$1/cpu.stat"; }
ns() { awk -v s="$1" 'BEGIN { printf "%.0f\n", s * 1e9 }'; }

serve --by cgroup,process -e page-faults
ok "with no more privileges than it uses" sh -c \
	'perl -ne "/^CapEff:\\s*(\\S+)/ and exit !(hex(\$1) == (1 << 38 | 1 << 39 | 1 << 2))" "/proc/$1/status"' sh "$exporter"
f0=$(pgfault)
get /metrics
f1=$(pgfault) faults=$(sum pmutrace_cgroup_events_total)
within_cgroup a "$PROG/touch" -n 5000 -k 10
within_cgroup b "$PROG/burn" -s 1
start perl -e '$| = 1; for (my $i = 0; $i < 3e7; $i++) {} print "done\n"; sleep 100'
busy=$started
within 30 grep -q 'done' "$T/started.out"
mkfifo "$T/never"
"$PROG/pingpong" -n 3000 <"$T/never" >"$T/pids" &
pingpong=$!
all_started="$all_started $pingpong"
exec 9>"$T/never"
within 30 grep -q ' ' "$T/pids"
sleep 0.2
read -r ping pong <"$T/pids"
f2=$(pgfault)
get /metrics
f3=$(pgfault) faults=$(($(sum pmutrace_cgroup_events_total) - faults))
cp "$T/body" "$T/first"
ok "a cgroup's page faults are its program's, which makes 5,000, and some to begin with" \
	between 5000 "$(sum pmutrace_cgroup_events_total "$(of a),event=\"page-faults\"}")" 6000
b_ns=$(usage_ns b)
ok "its CPU time is that of cpu.stat" \
	between $((b_ns * 98 / 100)) "$(ns "$(sum pmutrace_cgroup_cpu_seconds_total "$(of b)}")")" $((b_ns * 102 / 100))
ok "all together are those of /proc/vmstat" between $(((f2 - f1) * 98 / 100)) "$faults" $(((f3 - f0) * 102 / 100))
ok "by process they are as many" equal "$(sum pmutrace_process_events_total)" "$(sum pmutrace_cgroup_events_total)"
ok "and as many context switches" equal \
	"$(sum pmutrace_process_context_switches_total)" "$(sum pmutrace_cgroup_context_switches_total)"
for pid in "$ping" "$pong"; do
	# The kernel does not tell all of them: pmutrace_task_untold_switches_total.
	switches=$(awk '/ctxt_switches/ { n += $2 } END { print n }' "/proc/$pid/status")
	ok "context switches of a process are those of /proc/PID/status" between $((switches - 3)) \
		"$(sum pmutrace_process_context_switches_total "{pid=\"$pid\",comm=\"pingpong\"}")" $((switches + 3))
done
on_cpu=$(cut -d ' ' -f 1 "/proc/$busy/schedstat")
ok "and its CPU time that of schedstat" between $((on_cpu * 97 / 100)) \
	"$(ns "$(sum pmutrace_process_cpu_seconds_total "{pid=\"$busy\",comm=\"perl\"}")")" $((on_cpu * 105 / 100))
ok "nothing was lost" equal "$(sum pmutrace_task_timeslices_lost_total)" 0
ok "what it took is told" test "$(sum pmutrace_task_bpf_seconds_total)" != 0
ok "nobody finds anything wrong with it" is_clean

# A service that is started again has another cgroup of the same path.
before=$(sum pmutrace_cgroup_events_total "$(of a),event=\"page-faults\"}")
rmdir "$mount/$top/a"
within_cgroup a "$PROG/touch" -n 3000 -k 10
sleep 0.2
get /metrics
ok "a cgroup that is made again goes on with its series" between $((before + 3000)) \
	"$(sum pmutrace_cgroup_events_total "$(of a),event=\"page-faults\"}")" $((before + 4000))
ok "which is one" equal "$(grep -c -F "pmutrace_cgroup_cpu_seconds_total$(of a)}" "$T/body")" 1
ok "and nothing went back" none_went_back "$T/first" "$T/body"

# Whoever may make cgroups gives them any names.
within_cgroup "$(printf '\377')" true
within_cgroup "$(printf '\376')" true
within_cgroup 'q"\} 1' true
within_cgroup "$(perl -e 'print "long" x 60')" true
start perl -e '$0 = "a\"b\\c\nd"; $| = 1; print "there\n"; sleep 100'
named=$started
within 10 grep -q there "$T/started.out"
sleep 0.2
get /metrics
ok "names of any bytes break nothing" is_clean
ok "they are escaped" equal "$(sum pmutrace_process_context_switches_total "{pid=\"$named\",comm=\"a\\\"b\\\\c\\nd\"}")" \
	"$(awk '/ctxt_switches/ { n += $2 } END { print n }' "/proc/$named/status")"
ok "those that are no UTF-8 alike are one" equal \
	"$(grep -c -F "pmutrace_cgroup_cpu_seconds_total$(of "$(printf '\357\277\275')")}" "$T/body")" 1
stop "$named"

# A process that becomes another program: what was counted stays where it is.
# shellcheck disable=SC2016 # its own
start sh -c 'while [ ! -e "$0/go" ]; do :; done; exec perl -e "1 while times < 1; sleep 100"' "$T"
changing=$started
is_perl() { [ "$(cat "/proc/$changing/comm")" = perl ]; }
sleep 0.1
get /metrics
cp "$T/body" "$T/first"
touch "$T/go"
within 30 is_perl
sleep 0.5
get /metrics
ok "a process that becomes another program is another series" equal \
	"$(grep -c "^pmutrace_process_cpu_seconds_total{pid=\"$changing\"" "$T/body")" 2
ok "which goes on, and the first stays" none_went_back "$T/first" "$T/body"
stop "$changing"

# While they come and go; those that nobody has asked about in their time have no names.
for round in 1 2 3 4 5 6; do
	cp "$T/body" "$T/first"
	within_cgroup c1 "$PROG/touch" -n 10 -k 2
	within_cgroup "c2$round" "$PROG/touch" -n 10 -k 2
	sleep 0.2
	get /metrics
	none_went_back "$T/first" "$T/body" || break
	is_clean || break
	rmdir "$mount/$top/c1" "$mount/$top/c2$round"
	within_cgroup short "$PROG/touch" -n 1000 -k 2
	rmdir "$mount/$top/short"
done >"$T/rounds" 2>&1
sleep 0.2
get /metrics
ok "while cgroups come and go nothing goes back" equal "$round$(cat "$T/rounds")" 6
ok "and each path is one series" equal \
	"$(grep -c "^pmutrace_cgroup_cpu_seconds_total{cgroup=\"/$top/c[12]" "$T/body")" 7
ok "those that were there for a moment are others" between 6000 \
	"$(sum pmutrace_cgroup_events_total '{cgroup="other",container="",event="page-faults"}')" 12000
ok "and none has a number for a name" equal "$(grep -c 'cgroup="id:' "$T/body")" 0
get /metrics 'Accept: application/openmetrics-text;version=1.0.0'
ok "OpenMetrics" grep -q '^# TYPE pmutrace_cgroup_cpu_seconds counter$' "$T/body"
stop "$exporter"

# No more series than are asked for, and nothing lost by that.
serve --by cgroup --series 2 -e page-faults
for i in 1 2 3 4 5; do
	within_cgroup "d$i" "$PROG/touch" -n 1000 -k 2
done
get /metrics
ok "two cgroups, and the others" equal "$(grep -c '^pmutrace_cgroup_cpu_seconds_total{' "$T/body")" 3
ok "who they are is told" equal "$(sum pmutrace_cgroup_series)+$(($(sum pmutrace_cgroup_others) >= 3))" 2+1
ok "none is missing in the sum" between 5000 "$(sum pmutrace_cgroup_events_total)" 1000000
for i in 1 2 3 4 5; do
	within_cgroup "d$i" "$PROG/touch" -n 1000 -k 2
done
cp "$T/body" "$T/first"
get /metrics
ok "which are one series, and do not go back" none_went_back "$T/first" "$T/body"
stop "$exporter"

# Large hosts: 2,000 cgroups and 8 events.
serve --by cgroup --series 5000 -e page-faults,minor-faults,major-faults,context-switches,cpu-migrations,cpu-clock,task-clock,bpf-output
perl -e 'my $dir = $ARGV[0];
	for my $i (1 .. 2000) {
		mkdir "$dir/kubepods-burstable-pod$i" or die "$!";
		my $pid = fork;
		if (!$pid) { open my $f, ">", "$dir/kubepods-burstable-pod$i/cgroup.procs" or die; print $f $$; close $f; exit }
		waitpid $pid, 0;
	}' "$mount/$top"
get /metrics
ok "2,000 cgroups are as many series" between 2000 "$(sum pmutrace_cgroup_series)" 2100
ok "of each event" equal "$(grep -c '^pmutrace_cgroup_events_total{cgroup="/pmutrace-test.*event="minor-faults"' "$T/body")" 2000
ok "in no more than 10 MB" between 1000000 "$(wc -c <"$T/body")" 10000000
ok "of which nothing was lost" equal "$(sum pmutrace_task_timeslices_lost_total)" 0
spent=$(sum process_cpu_seconds_total)
for i in 1 2 3 4 5; do get /metrics; done
echo "# $(wc -c <"$T/body") bytes, of CPU time a request took" \
	"$(echo "$(sum process_cpu_seconds_total) $spent" | awk '{ printf "%.1f ms\n", ($1 - $2) * 200 }')"
# 150 who ask for it again and again, and read nothing: 360 MB of answers.
perl -MIO::Socket::INET -e '
	$SIG{PIPE} = "IGNORE";
	my @all = grep { $_ } map { IO::Socket::INET->new(PeerAddr => $ARGV[0]) } 1 .. 150;
	$_->blocking(0), syswrite $_, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" x 20 for @all;
	open my $f, ">", $ARGV[1]; print $f scalar @all; close $f; sleep 60' "$address" "$T/connected" &
crowd=$!
all_started="$all_started $crowd"
within 30 [ -s "$T/connected" ]
get /healthz
ok "who asks and does not read keeps nobody waiting" equal "$code $(cat "$T/connected")" "200 150"
takes_at_most "and cannot fill our memory" 150000
stop "$crowd"
stop "$exporter"

# As docs/export/pmutrace-export.service starts it: nobody's user, with three capabilities.
capabilities=$(sed -n 's/^AmbientCapabilities=//p' "$TOP/docs/export/pmutrace-export.service" | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')
cp "$PMUTRACE" "$T/pmutrace"
cat >"$T/as_service" <<END
#!/bin/sh
exec setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set "-all,$capabilities" --inh-caps "-all,$capabilities" \\
	--ambient-caps "-all,$capabilities" --no-new-privs "$T/pmutrace" "\$@"
END
chmod 755 "$T/as_service" "$T/pmutrace"
PMUTRACE=$T/as_service
serve --by cgroup -e page-faults
within_cgroup a "$PROG/touch" -n 1000 -k 10
within_cgroup b sleep 0.2
get /metrics
ok "as a service it has the same series" between 1000 \
	"$(sum pmutrace_cgroup_events_total "$(of a),event=\"page-faults\"}")" 2000
ok "and those of the machine" equal "$(grep -c '^node_perf_page_faults_total' "$T/body")" "$(nproc --all)"
stop "$exporter"
# Without the third one paths are not known.
sed 's/,+dac_read_search//g' "$T/as_service" >"$T/without"
chmod 755 "$T/without"
PMUTRACE=$T/without
serve --by cgroup -e page-faults,page-faults -e page-faults,minor-faults
within_cgroup a "$PROG/touch" -n 1000 -k 10
get /metrics
cp "$T/body" "$T/first"
within_cgroup a "$PROG/touch" -n 1000 -k 10
sleep 0.2
get /metrics
ok "without CAP_DAC_READ_SEARCH cgroups have numbers" between 2000 \
	"$(sum pmutrace_cgroup_events_total "{cgroup=\"id:$(stat -c %i "$mount/$top/a")\",container=\"\",event=\"page-faults\"")" 4000
ok "which is told" grep -q 'numbers instead of paths: no permission' "$T/export.err"
ok "and they do not go back" none_went_back "$T/first" "$T/body"
ok "an event that is asked for twice is one series" is_clean
stop "$exporter"
PMUTRACE=$O/pmutrace

check 2 "events of nobody" "$PMUTRACE" export -e page-faults
check 2 "by what there is not" "$PMUTRACE" export --by cpu
