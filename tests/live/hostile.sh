#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A command's name is whatever its owner wrote there: no format breaks.
. "$(dirname "$0")/../lib.sh"
need_bpf

# harmless FILE.. - UTF-8, and nothing in it that base/visible.h does not show
harmless() {
	perl -e '
		local $/;
		for my $file (@ARGV) {
			open my $f, "<:raw", $file or die "$file: $!\n";
			my $s = <$f>;
			utf8::decode($s) or die "$file: not UTF-8\n";
			$s =~ s/<script><!\[CDATA\[.*//s;
			$s =~ s/<style>\n.*?<\/style>|<script>\n.*//gs;
			$s =~ /([\x00-\x09\x0b-\x1f\x7f-\x9f\x{200b}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}])/
				and die sprintf "%s: has U+%04X\n", $file, ord $1;
		}' "$@"
}

plan 62
# at most 15 bytes; printf's notation
for name in 'a;b<c>"d&e' 'new\nline\ttab' 'bad\377\376utf8' '\033[31mred' '$(id)`id`' ' 1 2 ' \
	'a\233m\302\2332Jz' 'ab\342\200\256\342\200\213yz'; do
	# shellcheck disable=SC2059
	name=$(printf "$name")
	shown=$(printf %s "$name" | tr '\n\t\033\200-\377' ' ')
	rm -f "$T"/p.*
	pm -F 997 -o "$T/p.folded" -o "$T/p.svg" -o "$T/p.json" -o "$T/p.csv" \
		-o "$T/p.speedscope.json" -o "$T/p.firefox.json" -o "$T/p.html" -o "$T/p.trace.json" -o "$T/p.jsonl" -o - \
		-- "$PROG/names" -s 0.1 "$name"
	ok "'$shown': measured" test "$status" = 0
	ok "'$shown': every line is a stack and a number" \
		sh -c '! grep -v -a -E "^[^;]+(;[^;]+)* [0-9]+$" "$T/p.folded" | grep .'
	ok "'$shown': the name is one frame" between 50 "$(folded_sum "$T/p.folded" \
		'^[^;]+(;[][+_A-Za-z0-9.@]+)*;main;names_work(;[][_A-Za-z0-9.]+)* ')" 150
	ok "'$shown': JSON parses, and it adds up" between 50 "$(json "$T/p.json" '
		sum0 map { values %{$_->{values}} } @{$d->{rows}}')" 150
	ok "'$shown': no output has what drives a terminal or cannot be seen" \
		harmless "$T/p.folded" "$T/p.svg" "$T/p.json" "$T/p.csv" "$T/p.speedscope.json" \
		"$T/p.firefox.json" "$T/p.html" "$T/p.trace.json" "$T/p.jsonl" "$T/out"
done
cp "$T/p.svg" "$T/last.svg"

pm -F 997 -f json -o "$T/p.json" -- "$PROG/names" -s 0.1 'a;b<c>"d&e'
ok "JSON has the name as it is" between 50 "$(json "$T/p.json" '
	sum0 map { values %{$_->{values}} } grep { $_->{key}{comm} eq q(a;b<c>"d&e) } @{$d->{rows}}')" 150
pm -F 997 -f svg -o "$T/p.svg" -- "$PROG/names" -s 0.1 'x]]><script>'
ok "no element comes from a name" sh -c '! grep -q "]]><script>" "$T/p.svg"'

# The other commands, with a task that is there.
name=$(printf 'a\233m\302\233\342\200\256\342\200\213yz')
start "$PROG/names" -s 60 "$name"
named=$started
within 10 grep -q -a yz "/proc/$named/comm"
# shows WHAT ARGS.. - two points
shows() {
	what=$1
	shift
	run "$PMUTRACE" "$@" -p "$named"
	ok "$what: the task is there" grep -q 'a.*m.*yz' "$T/out"
	ok "$what: without what drives a terminal or cannot be seen" harmless "$T/out" "$T/err"
}
for format in table json csv; do
	shows "count, $format" count -f "$format" cpu-clock@1000000 --by comm 0.3
	shows "top, $format" top -b -f "$format" -n 1 -d 0.3
done
for format in '' --json --csv '-x,'; do
	shows "stat, $format" stat ${format:+"$format"} --per-thread -e cpu-clock 0.3
done
stop "$named"
