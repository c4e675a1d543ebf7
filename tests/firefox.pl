#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# firefox.pl [times|counters] FILE - checks a file against version 66 of Firefox Profiler's processed format, as its
# types and the upgraders from and to that version have it; prints its stacks as folded ones, the
# kind of a frame by its category, times in ns. Stricter: nothing but what we have to write.
#
#	counters	a line for each value of a counter instead: PID TIME NAME UNIT VALUE, the time in ms
#	times	a line for each sample instead: PID TID BEGIN END WEIGHT BUSY STACK, in ns, the end being
#		the next one's begin; BUSY is how much CPU time is told of it, "-" if none is
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use List::Util qw(max sum0);
use strict_json;

my $what = @ARGV > 1 ? shift : "folded";
my $d = document($ARGV[0]);
members("file", $d, [qw(meta libs pages shared threads counters)], []);
my $s = $d->{shared};
my %tables = (
	funcTable => [qw(name isJS relevantForJS resource source lineNumber columnNumber originalLocation)],
	frameTable => [qw(func category inlineDepth subcategory address nativeSymbol innerWindowID line
			  column originalLocation)],
	stackTable => [qw(frame prefixOffset)],
	resourceTable => [qw(name type lib host)],
	nativeSymbols => [qw(libIndex address name functionSize)],
	sources => [qw(id filename startLine startColumn sourceMapURL content)],
	sourceLocationTable => [qw(source line column)],
);

# table WHERE OBJECT COLUMNS - all as long as it says; its length
sub table {
	my ($where, $t, $columns) = @_;
	members($where, $t, ["length", @$columns], []);
	my $length = integer("$where: length", $t->{length});
	array("$where: $_", $t->{$_}, $length) for @$columns;
	return $length;
}

# column TABLE COLUMN CHECK ARGS.. - of what is shared: each of its values passes
sub column {
	my ($table, $column, $check, @args) = @_;
	my $i = 0;
	for (@{$s->{$table}{$column}}) { $check->("$table: $column " . $i++, $_, @args) }
}
sub null { wrong($_[0], "is not null") if defined $_[1] }
sub same { wrong($_[0], "is not $_[2]") if integer($_[0], $_[1]) != $_[2] }
sub no { boolean($_[0], $_[1]); wrong($_[0], "is true") if $_[1] }

my $m = $d->{meta};
members("meta", $m, [qw(version preprocessedProfileVersion product importedFrom interval startTime
	profilingStartTime profilingEndTime processType stackwalk debug symbolicated symbolicationNotSupported
	usesOnlyOneStackType sourceCodeIsNotOnSearchfox markerSchema initialVisibleThreads
	initialSelectedThreads keepProfileThreadOrder categories extra)], [qw(logicalCPUs sampleUnits)]);
my $units = $m->{sampleUnits};
if ($units) {
	members("sampleUnits", $units, [qw(time eventDelay threadCPUDelta)], []);
	wrong("sampleUnits", "are others") if join(" ", @$units{qw(time eventDelay threadCPUDelta)}) ne "ms ms ns";
}
wrong("meta", "is another version") if integer("version", $m->{preprocessedProfileVersion}) != 66;
integer("meta: $_", $m->{$_}) for qw(version startTime profilingStartTime processType stackwalk);
boolean("meta: $_", $m->{$_}) for qw(debug symbolicated symbolicationNotSupported usesOnlyOneStackType
	sourceCodeIsNotOnSearchfox keepProfileThreadOrder);
text("meta: $_", $m->{$_}) for qw(product importedFrom);
number("meta: interval", $m->{interval}) > 0 or wrong("meta: interval", "is not above 0");
array("meta: markerSchema", $m->{markerSchema}, 0);
my @colors = qw(transparent purple green orange yellow lightblue blue brown magenta red lightred darkgrey grey);
my @categories = array("categories", $m->{categories});
for my $c (@categories) {
	members("category", $c, [qw(name color subcategories)], []);
	wrong("category $c->{name}", "has no such color") if !grep { $_ eq $c->{color} } @colors;
	wrong("category $c->{name}", "does not begin with Other") if (array("subcategories", $c->{subcategories}))[0] ne "Other";
}
wrong("categories", "have no default") if !grep { $_->{color} eq "grey" } @categories;
for my $section (array("extra", $m->{extra})) {
	members("extra", $section, [qw(label entries)], []);
	for (array("extra: entries", $section->{entries})) {
		members("extra: entry", $_, [qw(label format value)], []);
		wrong("extra", "has another format") if $_->{format} ne "string";
		text("extra: $_->{label}", $_->{value});
	}
}

array($_, $d->{$_}, 0) for qw(libs pages);
members("shared", $s, ["stringArray", keys %tables], []);
my @strings = array("stringArray", $s->{stringArray});
text("string", $_) for @strings;
my %nr = map { $_ => table($_, $s->{$_}, $tables{$_}) } keys %tables;
column("resourceTable", "name", \&index_of, scalar @strings);
column("resourceTable", "type", \&same, 1);
column("resourceTable", $_, \&null) for qw(lib host);
column("funcTable", "name", \&index_of, scalar @strings);
column("funcTable", $_, \&no) for qw(isJS relevantForJS);
column("funcTable", "resource", sub {
	index_of($_[0], integer($_[0], $_[1]) + 1, $nr{resourceTable} + 1);
});
column("funcTable", $_, \&null) for qw(source lineNumber columnNumber originalLocation);
column("frameTable", "func", \&index_of, $nr{funcTable});
column("frameTable", "category", \&index_of, scalar @categories);
column("frameTable", "inlineDepth", \&index_of, 2);
column("frameTable", "subcategory", \&same, 0);
column("frameTable", "address", \&same, -1);
column("frameTable", $_, \&null) for qw(nativeSymbol innerWindowID line column originalLocation);
column("stackTable", "frame", \&index_of, $nr{frameTable});
# A caller stands before what it calls.
index_of("prefixOffset $_", $s->{stackTable}{prefixOffset}[$_], $_ + 1) for 0 .. $nr{stackTable} - 1;
wrong($_, "has something") for grep { $nr{$_} } qw(nativeSymbols sources sourceLocationTable);

my %marks = (Kernel => "_[k]", JIT => "_[j]", Inlined => "_[i]");

# folded STACK - as a line of folded stacks has it
sub folded {
	my ($stack) = @_;
	my ($frame, $offset) = map { $s->{stackTable}{$_}[$stack] } qw(frame prefixOffset);
	my $name = $strings[$s->{funcTable}{name}[$s->{frameTable}{func}[$frame]]];
	my $category = $categories[$s->{frameTable}{category}[$frame]]{name};
	my $line = ($name =~ tr/;/:/r) . ($marks{$category} // "");
	return $offset ? folded($stack - $offset) . ";$line" : $line;
}

my $timed = grep { $_->{label} eq "Times" && $_->{value} =~ /^of windows/ } map { @{$_->{entries}} } @{$m->{extra}};
my (%seen, @ends);
my @threads = array("threads", $d->{threads});
wrong("threads", "are none: it is not read") if !@threads;
for my $i (0 .. $#threads) {
	my ($t, $where) = ($threads[$i], "thread $i");
	members($where, $t, [qw(name pid tid isMainThread processType processStartupTime
		processShutdownTime registerTime unregisterTime pausedRanges samples markers)], ["processName"]);
	text("$where: $_", $t->{$_}) for qw(name pid processType);
	boolean("$where: isMainThread", $t->{isMainThread});
	null("$where: $_", $t->{$_}) for qw(processShutdownTime unregisterTime);
	same("$where: $_", $t->{$_}, 0) for qw(processStartupTime registerTime);
	array("$where: pausedRanges", $t->{pausedRanges}, 0);
	wrong($where, "is there twice") if $seen{"$t->{pid} $t->{tid}"}++;
	wrong($where, "has markers") if table("$where: markers", $t->{markers}, [qw(data name startTime endTime phase category)]);
	my $samples = $t->{samples};
	my $unit = delete $samples->{weightType};
	wrong($where, "has another unit") if $unit !~ /^(samples|tracing-ms)$/;
	my $nr = table("$where: samples", $samples, [qw(stack time weight), $units ? "threadCPUDelta" : ()]);
	my $at = 0;
	for my $k ($timed ? 0 .. $nr - 1 : ()) {
		my ($stack, $time, $weight, $next) = (map({ $samples->{$_}[$k] } qw(stack time weight)), $samples->{time}[$k + 1]);
		index_of("$where: sample $k", $stack, $nr{stackTable}) if defined $stack;
		wrong("$where: sample $k", "is nothing, and weighs something") if !defined $stack && $weight;
		wrong("$where: sample $k", "weighs less than nothing") if number("$where: weight $k", $weight) < 0;
		wrong("$where: sample $k", "is not behind the one before") if number("$where: time $k", $time) < $at;
		wrong("$where", "is busy behind its end") if !defined $next && defined $stack;
		integer("$where: threadCPUDelta", $samples->{threadCPUDelta}[$k]) if $units;
		my $line = defined $stack ? folded($stack) : "";
		utf8::encode($line);
		my $busy = $units ? $samples->{threadCPUDelta}[$k + 1] // 0 : "-";
		my $ns = $unit eq "samples" ? $weight : $weight * 1e6;
		if ($what eq "times") { printf "%s %s %.0f %.0f %.0f %s %s\n", $t->{pid}, $t->{tid}, $time * 1e6, ($next // $time) * 1e6, $ns, $busy, $line }
		elsif (defined $stack && $what eq "folded") { printf "%s %.0f\n", $line, $ns }
		$at = $time;
	}
	for my $k ($timed ? () : 0 .. $nr - 1) {
		my ($stack, $time, $weight) = map { $samples->{$_}[$k] } qw(stack time weight);
		index_of("$where: sample $k", $stack, $nr{stackTable});
		wrong("$where: sample $k", "is not behind the one before")
			if abs(number("$where: time $k", $time) - $at) > 1e-6 * ($k + 1);
		wrong("$where: sample $k", "weighs less than nothing") if number("$where: weight $k", $weight) < 0;
		$at += $weight;
		my $line = folded($stack);
		utf8::encode($line);
		printf "%s %.0f\n", $line, $unit eq "samples" ? $weight : $weight * 1e6 if $what eq "folded";
	}
	push @ends, $at;
}
wrong("profilingEndTime", "is before a thread's end") if $timed && max(@ends) > $m->{profilingEndTime};
wrong("profilingEndTime", "is not the longest thread's end") if !$timed && abs(number("meta: profilingEndTime", $m->{profilingEndTime}) - (max(@ends) || ($m->{profilingEndTime}))) > 1e-3;
for my $which (qw(initialVisibleThreads initialSelectedThreads)) {
	index_of($which, $_, scalar @threads) for array($which, $m->{$which});
}

my @graph_colors = qw(blue green grey ink magenta orange purple red teal yellow);
my %counted;
for my $c (array("counters", $d->{counters})) {
	my $where = "counter $c->{name}";
	members($where, $c, [qw(name category description pid mainThreadIndex samples display)], []);
	text("$where: $_", $c->{$_}) for qw(name category description pid);
	index_of("$where: mainThreadIndex", $c->{mainThreadIndex}, scalar @threads);
	wrong($where, "is of another process") if $threads[$c->{mainThreadIndex}]{pid} ne $c->{pid};
	wrong($where, "is there twice") if $counted{"$c->{pid} $c->{name}"}++;
	my $display = $c->{display};
	members("$where: display", $display, [qw(graphType unit color markerSchemaLocation sortWeight label tooltipRows)], []);
	wrong($where, "is drawn another way") if $display->{graphType} ne "line-rate";
	wrong($where, "has no such color") if !grep { $_ eq $display->{color} } @graph_colors;
	null("$where: markerSchemaLocation", $display->{markerSchemaLocation});
	integer("$where: sortWeight", $display->{sortWeight});
	text("$where: $_", $display->{$_}) for qw(unit label);
	for (array("$where: tooltipRows", $display->{tooltipRows})) {
		members("$where: row", $_, [qw(type source format label)], ["requiresPreviewSelection"]);
		members("$where: format", $_->{format}, ["unit"], []);
		text("$where: row", $_->{label});
		wrong($where, "has a row of another kind") if "$_->{type} $_->{format}{unit}" ne "value number" ||
			$_->{source} !~ /^(count|committed-range-total|selection-total)$/;
	}
	my $nr = table("$where: samples", $c->{samples}, [qw(time count)]);
	my $before;
	for my $i (0 .. $nr - 1) {
		my ($time, $count) = map { $c->{samples}{$_}[$i] } qw(time count);
		wrong($where, "begins with something: nobody knows since when") if !$i && $count;
		wrong($where, "is less than nothing") if number("$where: count", $count) < 0;
		wrong($where, "goes back in time") if defined $before && number("$where: time", $time) <= $before;
		wrong($where, "is not within the profile") if $time < 0 || $time >= $m->{profilingEndTime};
		$before = $time;
		utf8::encode(my $line = "$c->{pid} $time $c->{name} $display->{unit} $count\n");
		print $line if $what eq "counters";
	}
}
wrong("counters", "have no times") if !$timed && %counted;
