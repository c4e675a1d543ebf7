#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# pdf.pl FILE - what is on the paper that Chromium prints (Skia's PDF): pages and images, then
# colours that boxes are filled with and texts, in the order of drawing, a line each.
use strict;
use warnings;
use Compress::Zlib;

open my $in, '<:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
my $pdf = do { local $/; <$in> };
$pdf =~ /^%PDF-/ or die "no PDF\n";
my (%head, %body);
while ($pdf =~ /^(\d+) 0 obj\n(.*?)(?:(?<=>>)[ \n]*stream\r?\n|endobj)/msg) {
	my ($nr, $from) = ($1, pos $pdf);

	$head{$nr} = $2;
	substr($pdf, $from - 7, 7) =~ /stream/ or next;
	my ($length) = $head{$nr} =~ m{/Length (\d+)} or die "object $nr: no length\n";
	$body{$nr} = substr $pdf, $from, $length;
	$body{$nr} = uncompress($body{$nr}) // die "object $nr: not packed by zlib\n"
		if $head{$nr} =~ /FlateDecode/;
	pos $pdf = $from + $length;
}

# glyphs OBJECT - of a font, to letters
sub glyphs {
	my ($to) = $head{$_[0]} =~ m{/ToUnicode (\d+) 0 R} or return {};
	my %letter;

	for ($body{$to} =~ /beginbfchar\n(.*?)endbfchar/sg) {
		$letter{hex $1} = chr hex $2 while /<(\w{4})> <(\w{4})>/g;
	}
	for ($body{$to} =~ /beginbfrange\n(.*?)endbfrange/sg) {
		while (/<(\w{4})> <(\w{4})> <(\w{4})>/g) {
			my ($first, $last, $as) = (hex $1, hex $2, hex $3);
			$letter{$_} = chr($as + $_ - $first) for $first .. $last;
		}
	}
	return \%letter;
}

# Masks are drawn like pictures, and seen by nobody.
my (%font, %mask, @drawn);
for (map { $head{$_} } sort { $a <=> $b } keys %head) {
	$font{$1} //= glyphs($2) while m{/F(\d+) (\d+) 0 R}g;
	$mask{$1} = 1 if m{/SMask.*?/G (\d+) 0 R}s;
}
for my $nr (sort { $a <=> $b } keys %body) {
	my ($colour, $boxes, $of, $text) = ('#000000', 0, 0, '');

	next if $mask{$nr} || $head{$nr} =~ m{/Length1|/Subtype /Image} || $body{$nr} =~ /begincmap/;
	for (split /\n/, $body{$nr}) {
		$colour = sprintf '#%02x%02x%02x', map { int $_ * 255 + 0.5 } $1, $2, $3
			if /([\d.]+) ([\d.]+) ([\d.]+) rg$/;
		$boxes++ if / re$/;
		push @drawn, ("fill $colour") x $boxes if /^f\*?$/;
		$boxes = 0 if /^(?:f\*?|S|n|W.*)$/;
		$of = $1 if m{^/F(\d+) };
		$text .= join '', map { $font{$of}{hex $_} // '?' } $1 =~ /..../g while /<(\w+)> Tj/g;
		push @drawn, "text $text" and $text = '' if /^ET$/;
	}
}
binmode STDOUT, ':utf8';
print 'pages ', scalar(() = $pdf =~ m{/Type /Page\b}g), "\n";
print 'images ', scalar(grep { m{/Subtype /Image} } values %head), "\n";
print "$_\n" for @drawn;
