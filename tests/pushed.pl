#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# pushed.pl KIND FILE WHAT - a body that was pushed, read by nothing but the wire formats and the
# numbers of the backends' own .proto files. Dies of what that backend refuses by default.
#
#	pyroscope FILE pprof	the file of pprof in it
#	parca FILE pprof	the same
#	otlp FILE folded TYPE	stacks with the values of a type: thread.name;outermost;..;leaf VALUE
#	otlp FILE types		a line each: type unit, period-type period-unit period, of samples
#	KIND FILE labels	name=value, a line each (otlp: attributes of the resource)
#	otlp FILE attributes	of samples: key=value SUM
#	otlp FILE times		begin and duration of each profile
# 16,000 samples, 4 MB before packing, 30 labels, names and values that labels can have, a type of
# the period; what profcheck of OpenTelemetry's SIG Profiling says of OTLP: ids, zero values, entries
# that nothing refers to or that are there twice.
use strict;
use warnings;
use Compress::Zlib ();
use Encode qw(decode FB_CROAK);
use JSON::PP ();
use MIME::Base64 ();

my ($kind, $path, $what, $type) = @ARGV;
open my $f, '<:raw', $path or die "$path: $!\n";
my $bytes = do { local $/; <$f> };

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
		my ($number, $wire, $value) = ($key >> 3, $key & 7);
		if ($wire == 0) {
			$value = varint(\$data, \$at);
		} elsif ($wire == 1) {
			die "cut off\n" if $at + 8 > length $data;
			$value = unpack 'Q<', substr $data, $at, 8;
			$at += 8;
		} elsif ($wire == 2) {
			my $len = varint(\$data, \$at);
			die "cut off\n" if $at + $len > length $data;
			$value = substr $data, $at, $len;
			$at += $len;
		} else {
			die "wire type $wire\n";
		}
		push @{$found{$number}}, $value;
	}
	\%found;
}

# Numbers that stand one behind the other.
sub packed {
	my ($data, @all) = @_;
	for (my $at = 0; $at < length $data;) { push @all, varint(\$data, \$at) }
	@all;
}

sub one { my ($m, $number, $otherwise) = @_; ($m->{$number} // [])->[-1] // $otherwise }
sub list { my ($m, $number) = @_; map { packed($_) } @{$m->{$number} // []} }
sub text { my $t = shift; decode('UTF-8', my $copy = $t, FB_CROAK); $t }

sub gunzip {
	my $packed = shift;
	die "not packed by gzip\n" unless substr($packed, 0, 2) eq "\x1f\x8b";
	my $plain = Compress::Zlib::memGunzip($packed) // die "gzip: damaged\n";
	die length($plain) . " bytes are more than 4 MB\n" if length $plain > 4 << 20;
	$plain;
}

# What Pyroscope and Parca say of labels.
sub check_labels {
	my ($previous, %seen) = ('');
	die @_ / 2 . " labels\n" if @_ > 60;
	while (my ($name, $value) = splice @_, 0, 2) {
		die "label $name\n" unless $name =~ /^[a-zA-Z_][a-zA-Z0-9_]*$/ && length $name <= 1024;
		die "label $name twice\n" if $seen{$name}++;
		die "value of $name\n" if $value eq '' || length $value > 2048;
		text($value);
		die "labels are not sorted\n" if $name lt $previous;
		$previous = $name;
	}
	die "no __name__\n" unless $seen{__name__};
	die "no service_name\n" unless $seen{service_name};
}

sub check_pprof {
	my $p = fields(gunzip($_[0]));
	my @texts = map { text($_) } @{$p->{6} // []};
	my $period = fields(one($p, 11, ''));
	die "no type of the period\n" unless one($period, 1, 0) && $texts[one($period, 1)] ne '';
	die "no time\n" unless one($p, 9, 0) && one($p, 10, 0);
	die @{$p->{2}} . " samples\n" if @{$p->{2} // []} > 16000;
	for my $t (@{$p->{1}}) {
		my $name = $texts[one(fields($t), 1, 0)];
		die "type $name\n" if $name =~ /:/ || $name eq '';
	}
	my $nr = 0;
	for (@{$p->{4} // []}) { die "ids are not sequential\n" if one(fields($_), 1) != ++$nr }
}

sub finish {
	my ($pprof, @labels) = @_;
	check_labels(@labels);
	check_pprof($pprof);
	if ($what eq 'pprof') {
		binmode STDOUT;
		print $pprof;
	} else {
		while (my ($n, $v) = splice @labels, 0, 2) { print "$n=$v\n" }
	}
	exit;
}

if ($kind eq 'pyroscope') {
	my @series = @{fields($bytes)->{1} // []};
	die @series . " series\n" unless @series == 1;
	my $s = fields($series[0]);
	my @samples = map { fields($_) } @{$s->{2} // []};
	die @samples . " profiles\n" unless @samples == 1;
	die "no UUID\n" unless one($samples[0], 2) =~
		/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
	finish(one($samples[0], 1), map { my $l = fields($_); one($l, 1, ''), one($l, 2, '') } @{$s->{1}});
}
if ($kind eq 'parca') {
	my $d = JSON::PP->new->utf8->decode($bytes);
	die join(' ', sort keys %$d) . "\n" unless join(' ', sort keys %$d) eq 'normalized series';
	die "series\n" unless @{$d->{series}} == 1 && @{$d->{series}[0]{samples}} == 1;
	my $pprof = MIME::Base64::decode($d->{series}[0]{samples}[0]{rawProfile});
	die "base64\n" unless MIME::Base64::encode($pprof, '') eq $d->{series}[0]{samples}[0]{rawProfile};
	finish($pprof, map { Encode::encode('UTF-8', $_->{name}), Encode::encode('UTF-8', $_->{value}) }
		@{$d->{series}[0]{labels}{labels}});
}

# OTLP
my $request = fields(gunzip($bytes));
my $d = fields(one($request, 2));
my %table = (mapping => 1, location => 2, function => 3, link => 4, string => 5, attribute => 6, stack => 7);
my (%entries, %used);
for my $name (keys %table) {
	my @all = @{$d->{$table{$name}} // []};
	die "$name: entry 0 is not nothing\n" if !@all || $all[0] ne '';
	my %seen;
	$seen{$_}++ and die "$name: an entry is there twice\n" for @all;
	$entries{$name} = $name eq 'string' ? [map { text($_) } @all] : [map { fields($_) } @all];
}

# The entry, which something refers to.
sub refer {
	my ($name, $index) = @_;
	$index //= 0;
	die "$name $index is not there\n" if $index < 0 || $index >= @{$entries{$name}};
	$used{$name}{$index} = 1;
	$entries{$name}[$index];
}

sub attributes {
	map {
		my $a = refer('attribute', $_);
		die "attribute 0\n" unless $_;
		my $value = fields(one($a, 2));
		die "attribute without a value\n" unless %$value;
		refer('string', one($a, 1)) . '=' . (defined one($value, 1) ? text(one($value, 1)) : one($value, 3));
	} @_;
}

sub location {
	my $l = refer('location', $_[0]);
	my $m = refer('mapping', one($l, 1));
	refer('string', one($m, 4));
	my ($start, $limit) = (one($m, 1, 0), one($m, 2, 0));
	die "mapping\n" unless !$start && !$limit || $start < $limit;
	attributes(list($m, 5), list($l, 4));
	my @lines = map { fields($_) } @{$l->{3} // []};
	die "a location without a line\n" unless @lines;
	reverse map {
		my $fn = refer('function', one($_, 1));
		refer('string', one($fn, 3));
		refer('string', one($fn, 2));
		refer('string', one($fn, 1));
	} @lines;
}

sub value_type { my $t = fields($_[0]); map { refer('string', one($t, $_)) } 1, 2 }

my (%sums, %by, @types, @times);
my @resources = map { fields($_) } @{$request->{1} // []};
die @resources . " resources\n" unless @resources == 1;
my %resource;
for (@{fields(one($resources[0], 1))->{1} // []}) {
	my $kv = fields($_);
	my $key = text(one($kv, 1));
	die "$key twice\n" if exists $resource{$key};
	$resource{$key} = text(one(fields(one($kv, 2)), 1));
}
die "no service.name\n" unless $resource{'service.name'};
for my $scope (map { fields($_) } @{$resources[0]{2} // []}) {
	die "no profiles\n" unless @{$scope->{2} // []};
	for my $p (map { fields($_) } @{$scope->{2}}) {
		my ($name, $unit) = value_type(one($p, 1));
		my @samples = map { fields($_) } @{$p->{2} // []};
		my %seen;
		die @samples . " samples\n" if @samples > 16000;
		die "no id\n" unless length one($p, 7, '') == 16 && one($p, 7) =~ /[^\0]/;
		push @types, join ' ', $name, $unit, value_type(one($p, 5)), one($p, 6), scalar @samples;
		push @times, one($p, 3) . ' ' . one($p, 4);
		for my $s (@samples) {
			my @values = list($s, 4);
			my @whose = attributes(list($s, 2));
			my %keys = map { /^([^=]*)/; $1 => 1 } @whose;
			die "an attribute twice\n" unless keys %keys == @whose;
			die @values . " values\n" unless @values == 1;
			refer('link', one($s, 3));
			my $id = join ' ', one($s, 1, 0), sort { $a <=> $b } list($s, 2);
			die "a sample is there twice\n" if $seen{$id}++;
			my @stack = reverse list(refer('stack', one($s, 1)), 1);
			my ($comm) = map { /^thread.name=(.*)/s } @whose;
			my $line = join ';', grep { defined } $comm, map { location($_) } @stack;
			$sums{$line} += $values[0] if ($type // '') eq $name;
			$by{$_} += $values[0] for @whose;
		}
	}
}
for my $name (keys %entries) {
	for (1 .. $#{$entries{$name}}) { die "$name $_: nothing refers to it\n" unless $used{$name}{$_} }
}
print map { "$_ $sums{$_}\n" } sort keys %sums if $what eq 'folded';
print map { "$_\n" } @types if $what eq 'types';
print map { "$_\n" } @times if $what eq 'times';
print map { "$_=$resource{$_}\n" } sort keys %resource if $what eq 'labels';
print map { "$_ $by{$_}\n" } sort keys %by if $what eq 'attributes';
