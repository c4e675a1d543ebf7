#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# ask.pl ADDRESS PID SECONDS CSV [EVERY [PROFILER METRICS]] - asks an exporter each second, or each EVERY
# seconds, in all the ways that it answers, and writes a line for each ten answers: what /proc says of it,
# and what it says itself. The same of a `profile --continuous` of that pid, whose --metrics are in that
# file; - without one. SIGTERM ends it.
#
# What is wrong is counted and told on stderr: an answer that is none (failed), and a counter that is
# less than in the answer before (went_back).
use strict;
use warnings;
use HTTP::Tiny;
use IO::Uncompress::Gunzip qw(gunzip);
use POSIX ();
use Time::HiRes qw(time sleep);

my ($address, $pid, $seconds, $csv, $every, $profiler, $metrics) = @ARGV;
$every ||= 1;
my @columns = qw(seconds rss_kb pss_kb descriptors threads cpu_s bpf_s series answer_bytes
	answer_median_ms answer_worst_ms timeslices lost untold went_back failed
	switches kernel_switches
	profiler_rss_kb profiler_descriptors profiler_cpu_s windows windows_failed samples samples_lost);
my $begin = time;
my ($ended, $asked) = (0, 0);
my ($went_back, $failed) = (0, 0);
my (%was, @took_ms);
my %last = map { $_ => '-' } grep { /^(profiler|windows|samples)/ } @columns;

$SIG{TERM} = sub { $ended = 1 };
# Of two connections one is kept; it is asked when descriptors are counted.
my @agents = map { HTTP::Tiny->new(timeout => 20, keep_alive => $_) } 1, 0;

# Returns nothing.
sub note {
	printf STDERR "%.0f s: %s\n", time - $begin, "@_";
	return;
}

sub slurp {
	open my $f, '<', shift or return undef;
	local $/;
	return scalar <$f>;
}

# The answer's text; nothing, when it is none.
sub ask {
	my ($open_metrics, $packed) = ($asked & 1, $asked & 2);
	my $agent = $agents[$asked % 10 == 9 ? 0 : $asked >> 2 & 1];
	my %headers = ($open_metrics ? (Accept => 'application/openmetrics-text;version=1.0.0') : (),
		$packed ? ('Accept-Encoding' => 'gzip') : ());
	my $before = time;
	my $r = $agent->get("http://$address/metrics", {headers => \%headers});
	my ($body, $type) = ($r->{content}, $r->{headers}{'content-type'} // '');

	$asked++;
	push @took_ms, (time - $before) * 1000;
	return note "status $r->{status}: " . substr $body, 0, 200 if $r->{status} != 200;
	if ($packed) {
		my $plain;
		return note 'is not packed' if ($r->{headers}{'content-encoding'} // '') ne 'gzip';
		gunzip \$body => \$plain or return note 'is packed, and cannot be unpacked';
		$body = $plain;
	}
	my $expected = $open_metrics ? 'application/openmetrics-text' : 'text/plain';
	return note "is $type" if $type !~ /^\Q$expected\E/;
	return note 'ends early' if $open_metrics && $body !~ /\n# EOF\n\z/;
	return $body;
}

# Its series; nothing, when it has one twice, or what is no series.
sub parse {
	my %now;
	for (split /\n/, shift) {
		next if /^#/;
		/^(.*\}|[a-z_:]+) ([-+.0-9e]+)$/i or return note "no sample: $_";
		return note "twice: $1" if exists $now{$1};
		$now{$1} = $2;
	}
	return %now ? \%now : note 'is empty';
}

sub compare {
	my $now = shift;
	for (grep { /^[a-z_]+_total\b/ && exists $was{$_} && $now->{$_} < $was{$_} } keys %$now) {
		$went_back++;
		note "went back from $was{$_}: $_ $now->{$_}";
	}
	%was = %$now;
}

sub sum {
	my ($name, $sum) = (shift, 0);
	/^\Q$name\E(\{|$)/ and $sum += $was{$_} for keys %was;
	return $sum;
}

# What the kernel says of a process: RSS and PSS in KB, descriptors, threads, seconds of CPU time; nothing,
# when it has ended.
sub look {
	my $of = shift;
	my $maps = slurp "/proc/$of/smaps_rollup" or return;
	my ($stat, $status) = map { slurp "/proc/$of/$_" } qw(stat status);
	opendir my $fds, "/proc/$of/fd" or return;
	my @times = (split ' ', $stat =~ s/.*\)//sr)[11, 12];
	my ($threads) = $status =~ /^Threads:\s+(\d+)/m;

	return ((map { $maps =~ /^$_:\s+(\d+)/m } qw(Rss Pss)), scalar(grep { !/^\./ } readdir $fds), $threads,
		sprintf '%.2f', ($times[0] + $times[1]) / POSIX::sysconf(POSIX::_SC_CLK_TCK));
}

sub look_at_exporter {
	my @now = look $pid or return;
	@last{qw(rss_kb pss_kb descriptors threads cpu_s)} = @now;
	return 1;
}

# Of a profiler whose first window has not ended there are no metrics yet.
sub look_at_profiler {
	my @now = look $profiler or return;
	my $text = slurp($metrics) // return 1;
	my $sum = sub {
		my $sum = 0;
		$sum += $1 while $text =~ /^pmutrace_profile_$_[0](?:\{.*\})? (\S+)$/mg;
		return $sum;
	};
	@last{qw(profiler_rss_kb profiler_descriptors profiler_cpu_s)} = @now[0, 2, 4];
	@last{qw(windows windows_failed samples samples_lost)} =
		map { $sum->("${_}_total") } qw(windows failed_windows samples lost_samples);
	return 1;
}

sub row {
	my @sorted = sort { $a <=> $b } @took_ms;

	@last{qw(seconds went_back failed)} = (sprintf('%.0f', time - $begin), $went_back, $failed);
	$last{switches} = sum('node_perf_context_switches_total');
	$last{bpf_s} = sprintf '%.3f', sum('pmutrace_task_bpf_seconds_total');
	$last{timeslices} = sum('pmutrace_task_timeslices_total');
	$last{lost} = sum('pmutrace_task_timeslices_lost_total');
	$last{untold} = sum('pmutrace_task_untold_switches_total');
	$last{answer_median_ms} = sprintf '%.2f', $sorted[@sorted / 2] // 0;
	$last{answer_worst_ms} = sprintf '%.2f', $sorted[-1] // 0;
	@took_ms = ();
	return join(',', @last{@columns}) . "\n";
}

open my $out, '>', $csv or die "$csv: $!\n";
$out->autoflush(1);
print $out join(',', @columns), "\n";
until ($ended || time - $begin >= $seconds) {
	my $body = ask;
	# Soon: it is held against what was answered.
	($last{kernel_switches}) = slurp('/proc/stat') =~ /^ctxt (\d+)/m;
	my $now = defined $body ? parse $body : undef;

	if ($now) {
		compare($now);
		@last{qw(series answer_bytes)} = (scalar keys %$now, length $body);
	} else {
		$failed++;
	}
	if ($asked % 10 == 0 || !$now) {
		my $is_there = look_at_exporter;
		note 'the exporter has ended' if !$is_there;
		if ($profiler && !look_at_profiler) {
			$is_there = 0;
			note 'the profiler has ended';
		}
		$failed++ if !$is_there;
		print $out row if %was && defined $last{rss_kb};
		last if !$is_there;
	}
	# Seconds in which an answer was waited for are left out.
	my $now_s = time - $begin;
	sleep $every - POSIX::fmod($now_s, $every) if !$ended;
}
