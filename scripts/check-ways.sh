#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check-ways.sh [DIR] - whether docs/architecture.md is true.
#
# The files of each way (indented lines, one below the other) are there, and of two that follow each
# other one includes the other: itself, or through what it includes. The rooms of the table are on
# the floors of scripts/check-layers.sh, and all of them are there. Prints what is wrong and exits 1.
# DIR: the tree to look at (default: this one).
set -u
scripts=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$scripts/..}" || exit 1

# shellcheck disable=SC2016 # perl's
exec perl -e '
	use strict;
	use warnings;
	my ($layers, $wrong) = (shift, 0);
	sub wrong { print "docs/architecture.md: @_\n"; $wrong = 1 }

	my %cache;
	# The files that a file includes, with those that they include. A .c has its header.
	sub closure {
		my ($file, $seen) = @_;
		return if $seen->{$file}++;
		$cache{$file} //= [do {
			open my $f, "<", $file or die "$file: $!";
			map { my $at = $_; grep { -e } $at =~ /\.skel\.h$/ ? "bpf/" . $at =~ s/skel\.h/bpf.c/r
				: map { "$_/$at" } "src", "bpf" } map { /^\s*#\s*include\s*"([^"]+)"/ ? $1 : () } <$f>;
		}];
		closure($_, $seen) for @{$cache{$file}};
	}
	# Whether @from includes @to, or the header of @to.
	sub includes {
		my ($from, $to) = @_;
		my %seen;
		closure($from, \%seen);
		return $seen{$to} || $seen{$to =~ s/\.c$/.h/r};
	}

	open my $doc, "<", "docs/architecture.md" or die "docs/architecture.md: $!\n";
	my ($before, $nr, %floor) = ("", 0);
	while (<$doc>) {
		$floor{$2} = $1 if /^\| (\d+) \| `(\w+)` \|/;
		if (!/^    (\S+)/) {
			$before = "";
			next;
		}
		$nr++;
		if (!-e $1) {
			wrong("there is no $1");
			next;
		}
		wrong("neither of $before and $1 includes the other")
			if $before && !includes($before, $1) && !includes($1, $before);
		$before = $1;
	}
	wrong("names no files") unless $nr;

	open my $script, "<", $layers or die "$layers: $!\n";
	my %real;
	while (<$script>) {
		next unless /^(\d+) (.*)/;
		$real{$_} = $1 for grep { !/\.c$/ } split " ", $2;
	}
	for my $room (sort keys %{{%real, %floor}}) {
		wrong("$room is on floor " . ($real{$room} // "none") . ", not " . ($floor{$room} // "told"))
			if ($real{$room} // -1) != ($floor{$room} // -1);
	}
	exit $wrong;
' "$scripts/check-layers.sh"
