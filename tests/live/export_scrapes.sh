#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# export is asked 100,000 times (with sanitizers 20,000) over connections that are kept: each answer is whole, and memory and
# descriptors stay as they are.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
need_bpf
need_export
plan 6

# ask FROM TO - the FROM-th question up to the TO-th, over four connections by turns, each behind the answer to
# the one before. Prints how many answers were whole, and said that they were that one; and descriptors of
# the exporter while the connections are there.
ask() {
	perl -MIO::Socket::INET -MIO::Uncompress::Gunzip=gunzip -e '
		my ($address, $exporter, $from, $to) = @ARGV;
		my @connections = map { IO::Socket::INET->new(PeerAddr => $address) or die "$!" } 1 .. 4;
		my @ways = map { "GET /metrics HTTP/1.1\r\nHost: $address\r\n$_\r\n" } "",
			"Accept: application/openmetrics-text;version=1.0.0\r\n", "Accept-Encoding: gzip\r\n";
		sub answer {
			my $s = shift;
			my ($text, $begin, $length) = "";
			until (defined $length && length $text >= $begin + $length) {
				sysread $s, $text, 1 << 20, length $text or die "the connection has ended";
				next if defined $length || ($begin = 4 + index $text, "\r\n\r\n") < 4;
				($length) = $text =~ /\AHTTP\/1.1 200 .*^Content-Length: (\d+)\r$/ms or die $text;
			}
			return substr $text, $begin;
		}
		my $whole = 0;
		for my $i ($from .. $to) {
			my $s = $connections[$i & 3];
			syswrite $s, $ways[$i % 3] or die "$!";
			my $text = answer $s;
			if ($i % 3 == 2) {
				# Unpacking takes longer than the answer.
				$whole += $text =~ /\A\x1f\x8b/, next if $i % 100;
				gunzip \(my $packed = $text) => \$text or die "not packed";
			}
			my ($before) = $text =~ /^pmutrace_scrapes_total (\d+)$/m;
			$whole += $text =~ /\A# / && $text =~ ($i % 3 == 1 ? qr/\n# EOF\n\z/ : qr/^process_max_fds \d+\n\z/m) &&
				$before == $i - 1;
		}
		opendir my $dir, "/proc/$exporter/fd" or die "$!";
		print "$whole ", scalar(grep { !/^\./ } readdir $dir), "\n"' "$address" "$exporter" "$1" "$2" >"$T/asked"
	read -r whole descriptors <"$T/asked"
}
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$exporter/status"; }

# Few series: more would come all the time, of whoever is at work beside us.
serve --series 10 --by cgroup,process -e page-faults,context-switches,cpu-migrations
ask 1 1000
ok "1,000 answers are whole" equal "$whole" 1000
memory=$(resident) before=$descriptors
all=100000
! grep -q __asan_init "$PMUTRACE" || all=20000
ask 1001 $all
ok "all others are, too" equal "$whole" $((all - 1000))
ok "all of it takes no descriptors" equal "$descriptors" "$before"
takes_at_most "and less than 1 MB" $((memory + 1023))
echo "# memory: $memory KB after 1,000, $(resident) KB after $all"
get /healthz
ok "it goes on" equal "$code" 200
kill -INT "$exporter"
wait "$exporter"
ok "and ends well" test $? = 0
