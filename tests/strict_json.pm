# SPDX-License-Identifier: BSD-2-Clause
# strict_json.pm - a document of another tool's format, checked to the letter of its definition.
# What is wrong dies with the path to it.
package strict_json;

use strict;
use warnings;
use B;
use Exporter 'import';
our @EXPORT = qw(document wrong members array number integer index_of boolean text);

# document FILE - its object
sub document {
	my ($file) = @_;
	my $json = eval { require JSON::XS } ? "JSON::XS" : "JSON::PP";
	eval "require $json" or die $@;
	local $/;
	open my $f, "<:raw", $file or die "$file: $!\n";
	my $d = $json->new->utf8->decode(scalar <$f>);
	wrong($file, "is no object") if ref $d ne "HASH";
	return $d;
}

sub wrong {
	my ($where, $what) = @_;
	die "$where: $what\n";
}

# members WHERE OBJECT REQUIRED ALLOWED - has all of the first, none but of both; lists of names
sub members {
	my ($where, $o, $required, $allowed) = @_;
	wrong($where, "is no object") if ref $o ne "HASH";
	for (@$required) { wrong($where, "has no $_") if !exists $o->{$_} }
	my %known = map { $_ => 1 } @$required, @$allowed;
	for (sort keys %$o) { wrong($where, "has $_, which is not of the format") if !$known{$_} }
}

# array WHERE VALUE [LENGTH]
sub array {
	my ($where, $a, $length) = @_;
	wrong($where, "is no array") if ref $a ne "ARRAY";
	wrong($where, "has " . @$a . " elements, not $length") if defined $length && @$a != $length;
	return @$a;
}

# A number in the text, not the digits of a string.
sub number {
	my ($where, $n) = @_;
	my $flags = defined $n && !ref $n ? B::svref_2object(\$n)->FLAGS : 0;
	wrong($where, "is no number") if !($flags & (B::SVf_IOK | B::SVf_NOK)) || $flags & B::SVf_POK;
	return $n;
}

sub integer {
	my ($where, $n) = @_;
	number($where, $n);
	wrong($where, "is $n, no integer") if $n != int $n;
	return $n;
}

# index_of WHERE N LENGTH - into a table of that length
sub index_of {
	my ($where, $n, $length) = @_;
	integer($where, $n);
	wrong($where, "is $n, of $length") if $n < 0 || $n >= $length;
	return $n;
}

sub boolean {
	my ($where, $b) = @_;
	wrong($where, "is no boolean") if ref $b !~ /Boolean/;
	return $b;
}

sub text {
	my ($where, $s) = @_;
	wrong($where, "is no string") if !defined $s || ref $s || !(B::svref_2object(\$s)->FLAGS & B::SVf_POK);
	return $s;
}

1;
