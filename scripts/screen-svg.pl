#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# screen-svg.pl - a terminal's screen as SVG: how docs/pmutop.svg is made.
#
#	tmux capture-pane -ep | scripts/screen-svg.pl >docs/pmutop.svg
#
# Knows the colours 30 to 37, 40 to 47, their bright ones, bold, dim and reverse.
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));

my ($wide, $high, $size) = (8.4, 17, 14); # a character's cell, px
my @palette = map { "#$_" } qw(10151c f26d6d 7bc275 e0b354 6ea5ee c58be0 58bdc0 d5dae0
	5b6674 ff8f8f 9be394 ffd479 93c0ff e2b3f7 83e3e5 ffffff);
my ($fore, $back) = ($palette[7], $palette[0]);
my (%style, $body);

sub restyle {
	for my $n (map { $_ || 0 } split /;/, shift || '0') {
		if ($n == 0) { %style = () }
		elsif ($n == 1) { $style{bold} = 1 }
		elsif ($n == 2) { $style{dim} = 1 }
		elsif ($n == 7) { $style{reverse} = 1 }
		elsif ($n == 22) { delete @style{qw(bold dim)} }
		elsif ($n == 27) { delete $style{reverse} }
		elsif ($n == 39) { delete $style{fore} }
		elsif ($n == 49) { delete $style{back} }
		elsif ($n >= 30 && $n <= 37) { $style{fore} = $palette[$n - 30] }
		elsif ($n >= 40 && $n <= 47) { $style{back} = $palette[$n - 40] }
		elsif ($n >= 90 && $n <= 97) { $style{fore} = $palette[$n - 82] }
		elsif ($n >= 100 && $n <= 107) { $style{back} = $palette[$n - 92] }
	}
}

sub put {
	my ($text, $column, $row) = @_;
	my ($ink, $paper) = ($style{fore} // $fore, $style{back} // $back);
	my ($x, $y) = ($column * $wide, $row * $high);
	my $width = length($text) * $wide;
	($ink, $paper) = ($paper, $ink) if $style{reverse};
	$text =~ tr/ /\xa0/; # or browsers make one of several
	$text =~ s/&/&amp;/g;
	$text =~ s/</&lt;/g;
	$body .= qq(<rect x="$x" y="$y" width="$width" height="$high" fill="$paper"/>\n)
		if $paper ne $back;
	return if $text !~ /[^\s\xa0]/;
	my $how = $style{bold} ? ' font-weight="bold"' : $style{dim} ? ' opacity=".6"' : '';
	$body .= sprintf qq(<text x="%g" y="%g" textLength="%g" fill="%s"%s>%s</text>\n),
		$x, $y + $high - 4, $width, $ink, $how, $text;
}

my ($row, $columns) = (0, 0);
while (my $line = <STDIN>) {
	chomp $line;
	my $column = 0;
	while ($line =~ /\G(?:\e\[([\d;]*)m|\e[()].|([^\e]+))/gc) {
		if (defined $1) { restyle($1) }
		elsif (defined $2) {
			put($2, $column, $row);
			$column += length $2;
		}
	}
	$columns = $column if $column > $columns;
	$row++;
}
my ($w, $h) = ($columns * $wide, $row * $high);
printf qq(<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 %g %g" width="%g" font-size="%d" )
	. qq(font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace">\n)
	. qq(<rect x="-10" y="-10" width="100%%" height="100%%" rx="6" fill="%s"/>\n%s</svg>\n),
	$w + 20, $h + 20, $w + 20, $size, $back, $body;
