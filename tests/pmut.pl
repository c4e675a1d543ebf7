#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# pmut.pl folded|windows|losses|places|head FILE - what a capture has, read by nothing but docs/format.md.
#
#	folded   stacks of the first event, as print/folded.h writes them
#	windows  a line each: begin and end in ns, samples kept, then COMMAND=SAMPLES of all events
#	losses   a line each: window, name, samples
#	places   a line each: address, offset, build-id, path, source:line, where the function begins, and
#	         its name; sorted
#	head     begin, duration, CPUs, windows, host, and the events' names
use strict;
use warnings;
use Compress::Zlib;

my ($what, $path) = @ARGV;
open my $file, '<:raw', $path or die "$path: $!\n";
local $/;
my $bytes = <$file>;

die "no capture\n" unless substr($bytes, 0, 12) eq "pmutcap\n" . pack("V", 1);
die "head: CRC\n" unless crc32(substr $bytes, 0, 12) == unpack "x12 V", $bytes;

my ($data, $at) = ('', 0);	# of the part that is read

sub number {
	my ($n, $shift) = (0, 0);
	for (;;) {
		die "number behind its part\n" if $at >= length $data;
		my $byte = ord substr $data, $at++, 1;
		$n |= ($byte & 0x7f) << $shift;
		return $n unless $byte & 0x80;
		$shift += 7;
	}
}

sub signed { my $n = number(); $n & 1 ? -($n >> 1) - 1 : $n >> 1 }

sub text {
	my $len = number();
	die "text behind its part\n" if $at + $len > length $data;
	$at += $len;
	substr $data, $at - $len, $len;
}

my (%about, @events, @frames, @windows, @losses, $ended);
my (@strings, @nodes, @rows) = ();
push @strings, '';
push @nodes, undef;
my @marks = ('', '', '_[k]', '_[j]', '', '_[i]');	# by kind
my (%folded, %places);

sub frames_of {
	my @names;
	for (my $node = shift; $node; $node = $nodes[$node][0]) {
		my ($name, $module, $kind) = @{$frames[$nodes[$node][1]]};
		(my $shown = $strings[$name]) =~ tr/;/:/;
		unshift @names, $shown . $marks[$kind];
	}
	@names;
}

my %take = (
	1 => sub {
		@about{qw(begin duration cpus by flags windows)} = map { number() } 1 .. 6;
		@about{qw(host kernel machine cpu)} = map { text() } 1 .. 4;
	},
	2 => sub { push @events, [text(), text(), number(), number()] for 1 .. number() },
	3 => sub { push @strings, text() for 1 .. number() },
	4 => sub { push @frames, [number(), number(), number()] for 1 .. number() },
	5 => sub { push @nodes, [@nodes - number(), number()] for 1 .. number() },
	6 => sub {
		my $node = 0;
		for (1 .. number()) {
			my $event = number();
			$node += signed();
			my %row = (event => $event, node => $node);
			$row{pid} = number() if $about{by} & 1;
			$row{tid} = number() if $about{by} & 2;
			$row{cpu} = number() if $about{by} & 8;
			$row{cgroup} = number() if $about{by} & 16;
			push @rows, \%row;
		}
	},
	7 => sub {
		my %window = (begin => number(), end => number(), own => number());
		@window{qw(seen kept)} = (number(), number());
		for (1 .. number()) {
			my ($name, undef, undef, $flags, $n) = (text(), text(), text(), number(), number());
			push @losses, scalar(@windows) . " $name $n";
		}
		push @windows, \%window;
	},
	8 => sub {
		my $row = 0;
		for (1 .. number()) {
			$row += signed();
			my ($samples, $weight) = (number(), number());
			my @names = frames_of($rows[$row]{node});
			$windows[-1]{sum} += $samples;
			$windows[-1]{comms}{$names[0]} += $samples;
			$folded{join ';', @names} += $samples unless $rows[$row]{event};
		}
	},
	9 => sub { $ended = 1 },
	10 => sub {
		my ($nr, $addr, $last) = (number(), 0, $#frames);
		for (1 .. $nr) {
			my ($frame, $path, $id) = (number(), number(), number());
			die "place of an earlier frame\n" unless $frame > $last;
			$last = $frame;
			$addr += signed();
			my $offset = $addr - signed();
			$places{$frame} = [$addr, $offset, $strings[$id], $strings[$path], $strings[number()],
				number(), number()];
		}
	},
);

my $next = 0;
for (my $pos = 16; $pos < length $bytes;) {
	my ($kind, $packed, $len, undef, $number, $crc, $own) = unpack "a4 V3 Q< V2", substr $bytes, $pos, 32;
	die "no block at $pos\n" unless $kind eq 'blck' && $number == $next++;
	die "head of a block: CRC\n" unless $own == crc32(substr $bytes, $pos, 28);
	my $stream = substr $bytes, $pos + 32, $packed;
	die "block: CRC\n" unless $crc == crc32($stream);
	my $parts = uncompress($stream);
	die "block: length\n" unless defined $parts && length $parts == $len;
	$pos += 32 + $packed;
	while (length $parts) {
		my ($part, $size) = unpack "V2", $parts;
		($data, $at) = (substr($parts, 8, $size), 0);
		$parts = substr $parts, 8 + $size;
		$take{$part}->() if $take{$part};
	}
}
die "cut off\n" unless $ended;
for my $w (@windows) {
	die "kept is not the sum\n" unless $w->{kept} == ($w->{sum} // 0);
}

if ($what eq 'folded') {
	print "$_ $folded{$_}\n" for sort keys %folded;
} elsif ($what eq 'windows') {
	for my $w (@windows) {
		my $comms = $w->{comms} // {};
		print join(' ', @$w{qw(begin end kept)}, map { "$_=$comms->{$_}" } sort keys %$comms), "\n";
	}
} elsif ($what eq 'places') {
	print sort map {
		my ($addr, $offset, $id, $path, $source, $line, $start) = @{$places{$_}};
		sprintf "%x %x %s %s %s:%d %d %s\n", $addr, $offset, $id, $path, $source, $line, $start,
			$strings[$frames[$_][0]];
	} keys %places;
} elsif ($what eq 'losses') {
	print "$_\n" for @losses;
} else {
	print join(' ', @about{qw(begin duration cpus windows host)}, map { $_->[0] } @events), "\n";
}
