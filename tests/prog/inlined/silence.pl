# SPDX-License-Identifier: BSD-2-Clause
# silence.pl FILE - changes a .debug_abbrev: units do not say any more which addresses they have.
# Their DW_AT_ranges becomes an attribute that nobody asks a unit for, DW_AT_visibility.
use strict;
use warnings;

my ($file) = @ARGV;
my $at = 0;
open my $f, '<:raw', $file or die "$file: $!\n";
my $bytes = do { local $/; <$f> };
close $f;

sub leb {
	my ($v, $shift) = (0, 0);
	while ($at < length $bytes) {
		my $byte = ord substr $bytes, $at++, 1;
		$v |= ($byte & 0x7f) << $shift;
		$shift += 7;
		last unless $byte & 0x80;
	}
	return $v;
}

my $nr = 0;
while ($at < length $bytes) {
	leb() or next; # the code; 0 ends a table
	my $is_unit = leb() == 0x11;
	$at++; # children
	while (1) {
		my $where = $at;
		my ($name, $form) = (leb(), leb());
		last unless $name || $form;
		leb() if $form == 0x21; # DW_FORM_implicit_const
		next unless $is_unit && $name == 0x55;
		substr($bytes, $where, 1) = chr 0x17;
		$nr++;
	}
}
$nr or die "$file: no unit says so\n";
open $f, '>:raw', $file or die "$file: $!\n";
print $f $bytes or die;
close $f or die "$file: $!\n";
