#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# chrome.pl [counters|samples] FILE - checks a trace by what Perfetto's importer of JSON needs of it
# (json_trace_tokenizer.cc, v8_profile_parser.cc, legacy_v8_cpu_profile_tracker.cc): whatever it would
# drop is wrong here. Stricter: nothing but what we have to write. Prints its stacks as folded ones;
#
#	counters	a line each: PID TIME-IN-US NAME KEY VALUE
#	samples		a line each: PID TID TIME-IN-US STACK
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use strict_json;

my $what = @ARGV > 1 ? shift : "folded";
my $d = document($ARGV[0]);
members("file", $d, [qw(traceEvents otherData)], []);
my $o = $d->{otherData};
members("otherData", $o, [qw(product exporter losses times samplesEach)], []);
text("otherData: $_", $o->{$_}) for qw(product exporter losses times);
integer("samplesEach", $o->{samplesEach}) > 0 or wrong("samplesEach", "is not above 0");

my (%process, %thread, %at, %profile, %folded, %counter);

# stack PROFILE NODE - a line of it
sub stack {
	my ($p, $id) = @_;
	my $line = "";
	for (my $n = $p->{nodes}{$id}; defined $n->{parent}; $n = $p->{nodes}{$n->{parent}}) {
		my $name = $n->{callFrame}{functionName} =~ tr/;/:/r;
		$line = length $line ? "$name;$line" : $name;
	}
	utf8::encode($line);
	return $line;
}

sub metadata {
	my ($where, $e) = @_;
	members("$where: args", $e->{args}, ["name"], []);
	text("$where: name", $e->{args}{name});
	length $e->{args}{name} or wrong($where, "has no name: that is a failure there");
	if ($e->{name} eq "process_name") { $process{$e->{pid}}++ and wrong($where, "names it again") }
	elsif ($e->{name} eq "thread_name") { $thread{"$e->{pid} $e->{tid}"}++ and wrong($where, "names it again") }
	else { wrong($where, "is of another kind") }
}

sub counter {
	my ($where, $e) = @_;
	my @keys = sort keys %{$e->{args}};
	wrong($where, "has not one value") if @keys != 1;
	my $value = number("$where: value", $e->{args}{$keys[0]});
	wrong($where, "is below 0") if $value < 0;
	my $before = \$counter{"$e->{pid} $e->{name}"};
	wrong($where, "is not behind the one before") if defined $$before && $e->{ts} <= $$before;
	$$before = $e->{ts};
	my $line = "$e->{pid} $e->{ts} $e->{name} $keys[0] $value\n";
	utf8::encode($line);
	print $line if $what eq "counters";
}

sub head {
	my ($where, $e) = @_;
	my $key = "$e->{pid} $e->{id}";
	wrong($where, "begins again") if $profile{$key};
	integer("$where: startTime", $e->{args}{data}{startTime});
	$profile{$key} = {at => $e->{args}{data}{startTime}, tid => $e->{tid}, nodes => {}};
}

sub chunk {
	my ($where, $e) = @_;
	my $p = $profile{"$e->{pid} $e->{id}"} or wrong($where, "has no head");
	wrong($where, "is of another thread") if $p->{tid} != $e->{tid};
	my $data = $e->{args}{data};
	members($where, $data, [qw(cpuProfile timeDeltas)], []);
	members("$where: cpuProfile", $data->{cpuProfile}, [qw(nodes samples)], []);
	for my $n (array("$where: nodes", $data->{cpuProfile}{nodes})) {
		members("$where: node", $n, [qw(id callFrame)], ["parent"]);
		wrong($where, "has a node twice: $n->{id}") if $p->{nodes}{integer("$where: id", $n->{id})};
		wrong($where, "has another root: $n->{id}") if !defined $n->{parent} && %{$p->{nodes}};
		wrong($where, "has another name for its root") if !defined $n->{parent} && $n->{callFrame}{functionName} ne "(root)";
		wrong($where, "has a node before its caller: $n->{id}")
			if defined $n->{parent} && !$p->{nodes}{integer("$where: parent", $n->{parent})};
		members("$where: callFrame", $n->{callFrame}, [qw(functionName url)], []);
		text("$where: $_", $n->{callFrame}{$_}) for qw(functionName url);
		$p->{nodes}{$n->{id}} = $n;
	}
	my @samples = array("$where: samples", $data->{cpuProfile}{samples});
	my @deltas = array("$where: timeDeltas", $data->{timeDeltas}, scalar @samples);
	wrong($where, "has no samples") if !@samples;
	for (@samples) {
		wrong("$where: sample", "has no node $_") if !$p->{nodes}{integer("$where: sample", $_)};
		my $delta = integer("$where: delta", shift @deltas);
		wrong($where, "goes back in time") if $delta < 0;
		$p->{at} += $delta;
		my $line = stack($p, $_);
		$folded{$line} += $o->{samplesEach};
		print "$e->{pid} $e->{tid} $p->{at} $line\n" if $what eq "samples";
	}
}

my $i = 0;
for my $e (array("traceEvents", $d->{traceEvents})) {
	my $where = "event " . $i++;
	members($where, $e, [qw(ph cat name pid tid ts args)], $e->{ph} eq "P" ? ["id"] : []);
	text("$where: $_", $e->{$_}) for qw(ph cat name);
	index_of("$where: $_", $e->{$_}, 1 << 32) for qw(pid tid);
	wrong($where, "is before the begin") if integer("$where: ts", $e->{ts}) < 0;
	if ($e->{ph} eq "M") { metadata($where, $e) }
	elsif ($e->{ph} eq "C") { counter($where, $e) }
	elsif ($e->{ph} ne "P") { wrong($where, "is of another kind: $e->{ph}") }
	else {
		members("$where: args", $e->{args}, ["data"], []);
		wrong($where, "has no id") if $e->{id} !~ /^0x[0-9a-f]+$/;
		wrong($where, "is of another category") if $e->{cat} ne "disabled-by-default-v8.cpu_profiler";
		if ($e->{name} eq "Profile") { head($where, $e) }
		elsif ($e->{name} eq "ProfileChunk") { chunk($where, $e) }
		else { wrong($where, "is of another name") }
	}
}
# Whatever has something has a name.
for (map { /^(\d+) / } keys %counter, keys %profile) { $process{$_} or wrong("process $_", "has no name") }
if ($what eq "folded") { print "$_ $folded{$_}\n" for sort keys %folded }
