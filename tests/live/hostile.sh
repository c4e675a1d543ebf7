#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A command's name is whatever its owner wrote there: no format breaks.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 32
# at most 15 bytes; printf's notation
for name in 'a;b<c>"d&e' 'new\nline\ttab' 'bad\377\376utf8' '\033[31mred' '$(id)`id`' ' 1 2 '; do
	# shellcheck disable=SC2059
	name=$(printf "$name")
	shown=$(printf %s "$name" | tr '\n\t\033\377\376' ' ')
	rm -f "$T"/p.*
	pm -F 997 -o "$T/p.folded" -o "$T/p.svg" -o "$T/p.json" -o "$T/p.csv" -o - \
		-- "$PROG/names" -s 0.1 "$name"
	ok "'$shown': measured" test "$status" = 0
	ok "'$shown': every line is a stack and a number" \
		sh -c '! grep -v -a -E "^[^;]+(;[^;]+)* [0-9]+$" "$T/p.folded" | grep .'
	ok "'$shown': the name is one frame" between 50 "$(folded_sum "$T/p.folded" \
		'^[^;]+(;[][+_A-Za-z0-9.@]+)*;main;names_work(;[][_A-Za-z0-9.]+)* ')" 150
	ok "'$shown': JSON parses, and it adds up" between 50 "$(json "$T/p.json" '
		sum0 map { values %{$_->{values}} } @{$d->{rows}}')" 150
	ok "'$shown': SVG and table have no control characters, and are UTF-8" perl -e '
		local $/;
		for my $file ("$ENV{T}/p.svg", "$ENV{T}/out") {
			open my $f, "<:raw", $file or die "$file: $!\n";
			my $s = <$f>;
			utf8::decode($s) or die "$file: not UTF-8\n";
			$s =~ /([\x00-\x08\x0b-\x1f\x7f])/ and die sprintf "%s: has \\x%02x\n", $file, ord $1;
		}'
done
cp "$T/p.svg" "$T/last.svg"

pm -F 997 -f json -o "$T/p.json" -- "$PROG/names" -s 0.1 'a;b<c>"d&e'
ok "JSON has the name as it is" between 50 "$(json "$T/p.json" '
	sum0 map { values %{$_->{values}} } grep { $_->{key}{comm} eq q(a;b<c>"d&e) } @{$d->{rows}}')" 150
pm -F 997 -f svg -o "$T/p.svg" -- "$PROG/names" -s 0.1 'x]]><script>'
ok "no element comes from a name" sh -c '! grep -q "]]><script>" "$T/p.svg"'
