#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# html.pl FILE [EVENT [FROM TO]] - checks the data of a page against src/print/flame/html_data.h and
# prints one event (0: the first) as folded stacks: of the whole run, or of windows FROM to before TO.
# Stricter than a browser: nothing but what is named there, no number behind a column's end.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp;
use MIME::Base64;
use strict_json;

my ($file, $event, $from, $to) = @ARGV;
$event //= 0;
open my $f, "<:raw", $file or die "$file: $!\n";
my $page = do { local $/; <$f> };

# What a browser takes for the element's content ends at the first "</script".
$page =~ m{\A<!DOCTYPE html>\n<html lang="en">} or wrong($file, "is no page");
$page =~ m{http-equiv="Content-Security-Policy" content="default-src 'none';} or wrong($file, "has no policy");
$page =~ m{\b(?:src|href)=["']|\@import|url\(} and wrong($file, "needs another file");
my ($json) = $page =~ m{<script type="application/json" id="data">(.*?)</script}s or wrong($file, "has no data");
$json =~ /[<>&]/ and wrong("data", "has what HTML has a meaning for");
my $copy = File::Temp->new;
binmode $copy;
print $copy $json;
close $copy;

my $d = document($copy->filename);
members("data", $d, [qw(noun event view title sides events color losses strings frames sure nodes rows windows)], []);
text($_, $d->{$_}) for qw(noun view title losses);
my @sides = defined $d->{sides} ? array("sides", $d->{sides}) : ();
text("side", $_) for @sides;
wrong("sides", "are not two") if @sides && (@sides != 2 || !$d->{windows} || $d->{windows}{nr} != 2);
my @events = array("events", $d->{events});
for my $e (@events) {
	members("event", $e, [qw(name unit samples each line rate)], []);
	text("event's $_", $e->{$_}) for qw(name unit line rate);
}
index_of("event", $d->{event}, scalar @events);
if (my $color = $d->{color}) {
	my ($height, @of) = (0, array("color's events", $color->{events}));
	members("color", $color, [qw(title events formula)], []);
	text("color's title", $color->{title});
	index_of("color's event", $_, scalar @events) for @of;
	for my $op (array("formula", $color->{formula})) {
		if ($op =~ m{\A[-+*/]\z}) {
			$height-- >= 2 or wrong("formula", "has too few operands");
		} elsif ($op eq "~") {
			$height or wrong("formula", "negates nothing");
		} else {
			$op !~ /\A#(\d+)\z/ || $1 < @of or wrong("formula", "has no such event");
			$height++;
		}
	}
	wrong("formula", "has $height results") if $height != 1;
}
my @strings = array("strings", $d->{strings});
text("string $_", $strings[$_]) for 0 .. $#strings;

# column WHERE TEXT LENGTH [NEAR] - its numbers
sub column {
	my ($where, $text, $nr, $near) = @_;
	text($where, $text) =~ m{\A(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?\z}
		or wrong($where, "is no base64");
	my ($n, $shift, $sum, @numbers) = (0, 0, 0);
	for my $byte (unpack "C*", decode_base64($text)) {
		$n |= ($byte & 127) << $shift;
		$shift += 7;
		next if $byte > 127;
		push @numbers, $near ? $sum += $n & 1 ? -($n >> 1) - 1 : $n >> 1 : $n;
		$n = $shift = 0;
	}
	wrong($where, "ends within a number") if $shift;
	wrong($where, "has " . @numbers . " numbers, not $nr") if @numbers != $nr;
	return @numbers;
}

# weights TEXT SAMPLES EVENTS - of rows or of windows' entries; none: undef
sub weights {
	my ($text, $samples, $event) = @_;
	defined $text or return undef;
	my @n = column("weight", $text, scalar @$samples);
	return [map { $samples->[$_] * $events[$event->[$_]]{each} + ($n[$_] & 1 ? -($n[$_] >> 1) - 1 : $n[$_] >> 1) } 0 .. $#n];
}

my ($frames, $nodes, $rows) = @$d{qw(frames nodes rows)};
members("frames", $frames, [qw(nr kind name module)], []);
wrong("sure", "is not of frames of two sides")
	if defined $d->{sure} ? !@sides || $d->{sure} !~ /\A[012]{$frames->{nr}}\z/ : @sides;
$frames->{kind} =~ /\A[0-5]*\z/ && length $frames->{kind} == $frames->{nr} or wrong("kind", "is not of frames");
my @kind = split //, $frames->{kind};
my @name = column("name", $frames->{name}, $frames->{nr});
index_of("name", $_, scalar @strings) for @name, column("module", $frames->{module}, $frames->{nr});

members("nodes", $nodes, [qw(nr parent frame)], []);
my @parent = column("parent", $nodes->{parent}, $nodes->{nr});
my @frame = column("frame", $nodes->{frame}, $nodes->{nr});
for my $i (1 .. $#parent) {
	$parent[$i] >= 1 && $parent[$i] <= $i or wrong("node $i", "does not follow its parent");
	$parent[$i] = $i - $parent[$i];
	index_of("frame of node $i", $frame[$i], $frames->{nr});
	wrong("node $i", "has a command where none is") if !$parent[$i] != !$kind[$frame[$i]];
}

members("rows", $rows, [qw(nr event pid tid cgroup node samples weight)], []);
my @event = column("row's event", $rows->{event}, $rows->{nr});
my @node = column("row's node", $rows->{node}, $rows->{nr}, 1);
my @samples = column("row's samples", $rows->{samples}, $rows->{nr});
index_of("row's event", $_, scalar @events) for @event;
my $weights = weights($rows->{weight}, \@samples, \@event);
$_ >= 0 or wrong("weight", "is below 0") for @{$weights // []};
index_of("row's node", $_, $nodes->{nr}) for @node;
for (qw(pid tid cgroup)) {
	next if !defined $rows->{$_};
	$_ >= 0 or wrong("row's key", "is below 0") for column("row's $_", $rows->{$_}, $rows->{nr}, 1);
}
for my $e (0 .. $#events) {
	my $sum = 0;
	$sum += $samples[$_] for grep { $event[$_] == $e } 0 .. $#event;
	wrong("event $e", "has $events[$e]{samples} samples, not $sum") if $events[$e]{samples} != $sum;
}

my @shown = @samples;
if (my $w = $d->{windows}) {
	members("windows", $w, [qw(nr entries begin end lost count row samples weight)], []);
	my @count = column("count", $w->{count}, $w->{nr});
	my @row = column("window's row", $w->{row}, $w->{entries}, 1);
	my @of = column("window's samples", $w->{samples}, $w->{entries});
	my $weight = weights($w->{weight}, \@of, [map { $event[$_] } @row]);
	my (@sum, @weight, $at) = (0) x @samples;
	column($_, $w->{$_}, $w->{nr}) for qw(end lost);
	@shown = (0) x @samples if defined $from;
	for my $i (0 .. $#count) {
		for (1 .. $count[$i]) {
			my $row = index_of("window's row", $row[$at // 0], $rows->{nr});
			$sum[$row] += $of[$at // 0];
			$weight[$row] += $weight->[$at // 0] if $weight;
			$shown[$row] += $of[$at // 0] if defined $from && $i >= $from && $i < $to;
			$at++;
		}
	}
	wrong("windows", "have " . @row . " entries") if ($at // 0) != @row;
	$sum[$_] == $samples[$_] or wrong("row $_", "is more than its windows") for 0 .. $#samples;
	wrong("windows", "have weights, or rows") if !$weight != !$weights;
	$weights->[$_] == ($weight[$_] // 0) or wrong("row $_", "weighs more than in its windows") for 0 .. $#{$weights // []};
} elsif (defined $from) {
	wrong($file, "has no windows");
}

my @marks = ("", "", "_[k]", "_[j]", "", "_[i]");
my %folded;
for my $row (grep { $event[$_] == $event && $shown[$_] } 0 .. $#shown) {
	my @names;
	for (my $at = $node[$row]; $at; $at = $parent[$at]) {
		my $text = $strings[$name[$frame[$at]]];
		$text = "[unknown]" if $text eq "";
		unshift @names, $text =~ tr/;/:/r . $marks[$kind[$frame[$at]]];
	}
	$folded{join ";", @names} += $shown[$row];
}
for (sort keys %folded) {
	my $line = "$_ $folded{$_}\n";
	utf8::encode($line);
	print $line;
}
