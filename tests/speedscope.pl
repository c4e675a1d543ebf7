#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# speedscope.pl FILE [PROFILE] - checks a file against the file-format-schema.json of speedscope
# 1.25.0 and what its importer demands beyond; prints one profile as folded stacks (0: the first).
# Stricter than the schema: nothing but what it names.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use List::Util qw(sum0);
use strict_json;

my ($file, $shown) = (@ARGV, 0);
my $d = document($file);
my @units = qw(bytes microseconds milliseconds nanoseconds none seconds);

members("file", $d, [qw($schema profiles shared)], [qw(activeProfileIndex exporter name)]);
wrong("\$schema", "is another one")
	if text("\$schema", $d->{'$schema'}) ne "https://www.speedscope.app/file-format-schema.json";
text($_, $d->{$_}) for qw(exporter name);
members("shared", $d->{shared}, ["frames"], []);
my @frames = array("frames", $d->{shared}{frames});
for my $f (@frames) {
	members("frame", $f, ["name"], [qw(file line col)]);
	text("frame's $_", $f->{$_}) for grep { exists $f->{$_} } qw(name file);
	number("frame's $_", $f->{$_}) for grep { exists $f->{$_} } qw(line col);
}

# An importer of no profiles says that the file is empty.
my @profiles = array("profiles", $d->{profiles});
index_of("activeProfileIndex", $d->{activeProfileIndex}, scalar @profiles);
index_of("PROFILE", 0 + $shown, scalar @profiles);
for my $i (0 .. $#profiles) {
	my ($p, $where) = ($profiles[$i], "profile $i");
	members($where, $p, [qw(type name unit startValue endValue samples weights)], []);
	wrong($where, "is not sampled") if text("$where: type", $p->{type}) ne "sampled";
	text("$where: name", $p->{name});
	wrong($where, "has no unit") if !grep { $_ eq $p->{unit} } @units;
	my @stacks = array("$where: samples", $p->{samples});
	my @weights = array("$where: weights", $p->{weights}, scalar @stacks);
	integer("$where: weight", $_) >= 0 or wrong($where, "has a weight below 0") for @weights;
	wrong($where, "starts elsewhere") if number("$where: startValue", $p->{startValue}) != 0;
	wrong($where, "ends elsewhere than its weights")
		if number("$where: endValue", $p->{endValue}) != sum0 @weights;
	for my $k (0 .. $#stacks) {
		my @stack = array("$where: sample $k", $stacks[$k]);
		wrong("$where: sample $k", "has no frame") if !@stack;
		my @names = map { $frames[index_of("$where: sample $k", $_, scalar @frames)]{name} } @stack;
		next if $i != $shown;
		# As folded stacks have it.
		my $line = join ";", map { tr/;/:/r } @names;
		utf8::encode($line);
		print "$line $weights[$k]\n";
	}
}
