#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# pprof.pl WHAT FILE - what a .pb.gz has, read by nothing but the wire format of protobuf and the
# numbers of pprof's profile.proto. Dies if the file is not as strict readers want it: ids 1, 2, 3..,
# whatever is referred to is there, as many values as types, one value a label, valid UTF-8.
#
#	folded TYPE   stacks with the values of a type, the comm first, as print/folded.h writes them;
#	              without marks of kinds
#	types         a line each: type unit, and " *" behind the default
#	head          period type, unit and value, begin, duration in ns
#	comments      a line each
#	labels        a line each: key value SUM-OF-FIRST-VALUES
#	mappings      a line each: id start limit offset build-id flags path
#	lines         a line each: address function:start_line path:line.., the innermost first
use strict;
use warnings;
use Compress::Zlib;
use Encode qw(decode FB_CROAK);

my ($what, $path, $type) = @ARGV;
($path, $type) = ($ARGV[2], $ARGV[1]) if $what eq 'folded';
my $gz = gzopen($path, 'rb') or die "$path: cannot be opened\n";
my ($bytes, $piece) = ('');
$bytes .= $piece while $gz->gzread($piece, 1 << 20) > 0;
$gz->gzerror == Z_STREAM_END or die "gzip: damaged\n";
# gzopen() takes what is not packed, too.
open my $raw, '<:raw', $path or die;
read $raw, my $magic, 2;
die "not packed by gzip\n" unless $magic eq "\x1f\x8b";

sub varint {
	my ($data, $at) = @_;
	my ($n, $shift) = (0, 0);
	for (;;) {
		die "cut off\n" if $$at >= length $$data || $shift > 63;
		my $byte = ord substr $$data, $$at++, 1;
		$n |= ($byte & 0x7f) << $shift;
		return $n unless $byte & 0x80;
		$shift += 7;
	}
}

# fields DATA -> { number => [values] }: whole numbers, or bytes.
sub fields {
	my ($data, %found) = @_;
	for (my $at = 0; $at < length $data;) {
		my $key = varint(\$data, \$at);
		my ($number, $wire) = ($key >> 3, $key & 7);
		my $value = varint(\$data, \$at);
		if ($wire == 2) {
			die "cut off\n" if $at + $value > length $data;
			$at += $value;
			$value = substr $data, $at - $value, $value;
		} elsif ($wire != 0) {
			die "wire type $wire\n";
		}
		push @{$found{$number}}, $value;
	}
	\%found;
}

sub packed {
	my ($data, @all) = @_;
	return () unless defined $data;
	for (my $at = 0; $at < length $data;) {
		push @all, varint(\$data, \$at);
	}
	map { unpack 'q', pack 'Q', $_ } @all;
}

my $p = fields($bytes);
my @strings = @{$p->{6}};
die "string 0 is not empty\n" unless $strings[0] eq '';
decode('UTF-8', my $copy = $_, FB_CROAK) for @strings;
my %seen;
$seen{$_}++ && die "string twice: $_\n" for @strings;

sub string {
	my $id = shift // 0;
	die "no string $id\n" unless $id < @strings;
	$strings[$id];
}

# table NUMBER-OF-FIELD -> messages by id
sub table {
	my ($number, @all) = @_;
	for my $m (map { fields($_) } @{$p->{$number} // []}) {
		die "id $m->{1}[0] of field $number is not " . (@all + 1) . "\n" unless $m->{1}[0] == @all + 1;
		push @all, $m;
	}
	(undef, @all);
}

my @mappings = table(3);
my @locations = table(4);
my @functions = table(5);
my @types = map { my $t = fields($_); [string($t->{1}[0]), string($t->{2}[0])] } @{$p->{1}};
my $default = string($p->{14}[-1]);
die "the default type is none\n" unless grep { $_->[0] eq $default } @types;

sub lines_of {
	my $location = shift;
	my @lines = map { fields($_) } @{$location->{4} // []};
	die "location $location->{1}[0] has no line\n" unless @lines;
	for (@lines) {
		die "a line without a function\n" unless $functions[$_->{1}[0] // 0];
	}
	@lines;
}

for (@locations[1 .. $#locations]) {
	die "no such mapping\n" if $_->{2} && !$mappings[$_->{2}[0]];
	lines_of($_);
}

sub name_of { string($functions[$_[0]->{1}[0]]->{2}[0]) }

my (@samples, %stacks);
for my $sample (map { fields($_) } @{$p->{2} // []}) {
	my @ids = packed($sample->{1}[0]);
	my @values = packed($sample->{2}[0]);
	my %labels;
	die "values\n" unless @values == @types;
	for my $label (map { fields($_) } @{$sample->{3} // []}) {
		my $key = string($label->{1}[0]);
		die "label without a key\n" if $key eq '';
		die "label $key twice\n" if exists $labels{$key};
		die "label $key is both\n" if $label->{2} && $label->{3};
		$labels{$key} = $label->{2} ? string($label->{2}[0]) : $label->{3}[0] // 0;
	}
	my @frames;
	for my $id (@ids) {
		die "no location $id\n" unless $locations[$id];
		push @frames, map { name_of($_) } lines_of($locations[$id]);
	}
	my $same = join ' ', @ids, map { "$_=$labels{$_}" } sort keys %labels;
	die "a sample twice: $same\n" if $stacks{$same}++;
	push @samples, { values => \@values, labels => \%labels, frames => [reverse @frames] };
}

if ($what eq 'folded') {
	my ($at) = grep { $types[$_][0] eq $type } 0 .. $#types;
	my %folded;
	die "no type $type\n" unless defined $at;
	for my $s (@samples) {
		my @names = map { tr/;/:/r } @{$s->{frames}};
		$folded{join ';', $s->{labels}{comm} // (), @names} += $s->{values}[$at];
	}
	print map { "$_ $folded{$_}\n" } grep { $folded{$_} } sort keys %folded;
} elsif ($what eq 'types') {
	print map { "$_->[0] $_->[1]" . ($_->[0] eq $default ? ' *' : '') . "\n" } @types;
} elsif ($what eq 'head') {
	my $period = fields($p->{11}[0]);
	print join(' ', string($period->{1}[0]), string($period->{2}[0]), $p->{12}[0],
		map { $p->{$_}[0] // 0 } 9, 10), "\n";
} elsif ($what eq 'comments') {
	print map { string($_) . "\n" } map { packed($_) } @{$p->{13}};
} elsif ($what eq 'labels') {
	my %sums;
	for my $s (@samples) {
		$sums{"$_ $s->{labels}{$_}"} += $s->{values}[0] for keys %{$s->{labels}};
	}
	print map { "$_ $sums{$_}\n" } sort keys %sums;
} elsif ($what eq 'mappings') {
	for my $m (@mappings[1 .. $#mappings]) {
		my $flags = join '', map { $m->{$_} ? 1 : 0 } 7 .. 10;
		printf "%d %x %x %x %s %s %s\n", $m->{1}[0], (map { $m->{$_}[0] // 0 } 2 .. 4),
			string($m->{6}[0]) || '-', $flags, string($m->{5}[0]);
	}
} elsif ($what eq 'lines') {
	for my $l (@locations[1 .. $#locations]) {
		printf "%x", $l->{3}[0] // 0;
		for my $line (lines_of($l)) {
			my $f = $functions[$line->{1}[0]];
			printf " %s:%d %s:%d", name_of($line), $f->{5}[0] // 0, string($f->{4}[0]) || '-',
				$line->{2}[0] // 0;
		}
		print "\n";
	}
} else {
	die "$what?\n";
}
