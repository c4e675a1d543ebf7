#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make soak: what is asked for hours tells a bad exporter from a good one, and its sums are those of the rows.
. "$(dirname "$0")/../lib.sh"
plan 29
soak=$TOP/scripts/soak

# A server in place of an exporter: what it answers is in a file for each request; then it ends.
cat >"$T/server.pl" <<'END'
use strict;
use IO::Socket::INET;
use IO::Compress::Gzip qw(gzip);
my ($dir, $last) = @ARGV;
my $listen = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die "$!";
open my $f, ">", "$dir/port.new" or die; print $f $listen->sockport; close $f;
rename "$dir/port.new", "$dir/port";
for my $n (1 .. $last) {
	my $c = $listen->accept or die "$!";
	my $asked = "";
	while (<$c>) { $asked .= $_; last if /^\r?$/ }
	my $file = (grep { -e } "$dir/answer.$n", "$dir/answer")[0];
	open my $f, "<", $file or die; local $/; my $text = <$f>;
	my $status = $text =~ s/^status (\d+)\n// ? $1 : 200;
	my $type = $asked =~ /^Accept: application\/openmetrics/mi ? "application/openmetrics-text" : "text/plain";
	$text .= "# EOF\n" if $type =~ /open/ && $text !~ s/^early\n//;
	my $head = "HTTP/1.1 $status X\r\nContent-Type: $type\r\nConnection: close\r\n";
	if ($asked =~ /^Accept-Encoding: gzip/mi) {
		gzip \(my $plain = $text) => \$text;
		$head .= "Content-Encoding: gzip\r\n";
	}
	print $c $head, "Content-Length: ", length $text, "\r\n\r\n", $text;
	close $c;
}
END
metrics() {
	printf '# TYPE a_total counter\na_total{of="x} 1"} %s\nb{of="y"} 2\n' "$1"
	printf 'node_perf_context_switches_total{cpu="%s"} 40\n' 0 1
	printf 'pmutrace_task_timeslices_lost_total{reason="%s"} 3\n' one another
}
# ask SECONDS REQUESTS - of a server for so many; rows into $T/csv, complaints into $T/notes
ask() {
	rm -f "$T/port"
	start perl "$T/server.pl" "$T" "$2"
	within 10 test -e "$T/port"
	perl "$soak/ask.pl" "127.0.0.1:$(cat "$T/port")" "$started" "$1" "$T/csv" 2>"$T/notes"
	stop "$started"
}
# column NAME - of the last row
column() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } END { print $at }' "$T/csv"
}

metrics 10 >"$T/answer"
ask 10.5 1000
ok "a good one has nothing to tell" test ! -s "$T/notes"
ok "it is told in one row after ten seconds" equal "$(wc -l <"$T/csv") $(column failed) $(column went_back)" "2 0 0"
ok "with its series, and sums of them" equal "$(column series) $(column switches) $(column lost)" "6 80 6"
ok "its memory and descriptors" between 1000 "$(($(column rss_kb) * ($(column descriptors) >= 4)))" 100000

ok "no profiler was there to be looked at" equal "$(column windows) $(column profiler_rss_kb)" "- -"

# A profiler whose metrics are in a file.
cat >"$T/profiler.prom" <<'END'
# TYPE pmutrace_profile_windows_total counter
pmutrace_profile_windows_total 5
pmutrace_profile_failed_windows_total 1
pmutrace_profile_samples_total 700
pmutrace_profile_lost_samples_total{reason="one"} 3
pmutrace_profile_lost_samples_total{reason="another one"} 4
END
start sleep 60
sleeper=$started
rm -f "$T/port"
start perl "$T/server.pl" "$T" 1000
within 10 test -e "$T/port"
perl "$soak/ask.pl" "127.0.0.1:$(cat "$T/port")" "$started" 5.5 "$T/csv" 0.5 "$sleeper" "$T/profiler.prom" 2>"$T/notes"
ok "each half second there are as many rows in half the time" equal "$(wc -l <"$T/csv")" 2
ok "what a profiler says of itself" equal "$(column windows) $(column windows_failed) $(column samples) $(column samples_lost)" \
	"5 1 700 7"
ok "what the kernel says of it" between 100 "$(($(column profiler_rss_kb) * ($(column profiler_descriptors) >= 3)))" 100000
stop "$sleeper"
perl "$soak/ask.pl" "127.0.0.1:$(cat "$T/port")" "$started" 60 "$T/csv" 0.1 "$sleeper" "$T/profiler.prom" 2>"$T/notes"
ok "that it has ended" grep -q 'the profiler has ended$' "$T/notes"
stop "$started"

metrics 11 >"$T/answer.2"
metrics 12 | sed 's/^b.*/&\n&/' >"$T/answer.5"
{ echo early && metrics 12; } >"$T/answer.4"
{ echo status 500 && metrics 12; } >"$T/answer.6"
metrics x >"$T/answer.7"
ask 60 8
ok "a counter that goes back is told" grep -q 'went back from 11: a_total{of="x} 1"} 10$' "$T/notes"
ok "once" equal "$(column went_back)" 1
ok "a series that is there twice is told" grep -q 'twice: b{of="y"}$' "$T/notes"
ok "an answer that ends early" grep -q 'ends early$' "$T/notes"
ok "one that is an error" grep -q 'status 500' "$T/notes"
ok "one that is no metrics" grep -q 'no sample: a_total' "$T/notes"
ok "and that the exporter has ended" grep -q 'the exporter has ended$' "$T/notes"
# The four, the request that found nobody, and the end.
ok "all of them are counted" equal "$(column failed)" 6

# rows [COLUMN EXPR] - three hours of a good exporter, but for a column: of t, in seconds
rows() {
	awk -v what="${1-}" "function but(t) { return int(${2-0}) }"'
		BEGIN {
			n = split("seconds rss_kb pss_kb descriptors threads cpu_s bpf_s series answer_bytes answer_median_ms " \
				"answer_worst_ms timeslices lost untold went_back failed switches kernel_switches " \
				"profiler_rss_kb profiler_descriptors profiler_cpu_s windows windows_failed samples samples_lost", name, " ")
			for (i = 1; i <= n; i++)
				printf "%s%s", name[i], i < n ? "," : "\n"
			for (t = 10; t <= 10800; t += 10) {
				split(t " " 10000 + t / 10 " 9000 38 1 " t / 100 " " t / 1000 " 900 80000 2 5 " t * 10 " 0 7 0 0 " \
					t * 100 " " t * 100 (t > 10 ? " 44000 47 " t / 50 " " int(t / 10) " 0 " t " 3" : " - - - - - - -"), value, " ")
				for (i = 1; i <= n; i++)
					printf "%s%s", name[i] == what ? but(t) : value[i], i < n ? "," : "\n"
			}
		}'
}
# judged 'STATUS STATUS' [COLUMN EXPR] - what is said of these rows, where the exporter and the profiler ended so
judged() {
	ended=$1
	shift
	rows "$@" >"$T/rows"
	awk -f "$soak/csv.awk" -f "$soak/sum.awk" -v ended="${ended% *}" -v profiler_ended="${ended#* }" "$T/rows" >"$T/out"
	sed -n 's/^FAILED: //p; s/^all is well$/&/p' "$T/out"
}
ok "a good one is well" equal "$(judged '0 0')" "all is well"
# Each ten seconds one KB more.
says out "how fast memory grows" 'slope +\+360\.0 KB an hour'
says out "hours are compared" 'RSS +10180 KB in the first hour, 10900 KB in the last one'
says out "what it and its programs cost" 'CPU of the exporter +1\.00 % of one'
says out "a timeslice" 'BPF programs +0\.100 % of one, 100000 ns a timeslice'
ok "who has more descriptors each hour is not" equal "$(judged '0 0' descriptors '38 + t / 3600')" "descriptors grew"
ok "who has some more now and then is" equal "$(judged '0 0' descriptors '38 + (t % 700 == 0)')" "all is well"
ok "who missed switches is not" equal "$(judged '0 0' switches 't * 97')" "context switches are not those of /proc/stat"
ok "nor who crashed, or went back" equal "$(judged '139 0' went_back '1'; judged '0 0' failed 't > 9000')" \
	"counters went back: notes.txt
the exporter ended with status 139
requests failed: notes.txt"
says out "a profiler that was there" 'RSS +44000 KB in the first hour, 44000 KB in the last one'
ok "one that crashed, or lacks windows, or some of which failed, or leaks, is told" equal "$(judged '0 139' windows 't / 11'
judged '0 0' windows_failed 1; judged '0 0' profiler_descriptors '40 + t / 3600')" "windows are missing
the profiler ended with status 139
windows failed
descriptors of the profiler grew"
rows >"$T/rows"
awk -f "$soak/csv.awk" -f "$soak/plot.awk" "$T/rows" >"$T/svg"
ok "the plot has nine lines, of numbers" equal "$(grep -c '<path class="line c." d="M[0-9]\+ [0-9.]\+\(L[0-9]\+ [0-9.]\+\)\+"/>$' "$T/svg")" 9
