#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --exemplars: of many threads at once each exemplar is of one hit, which is in its range; each hit is as likely as
# the others.
. "$(dirname "$0")/../lib.sh"
need_bpf
calls=$PROG/calls
plan 12

# Eight threads, each of which calls work() with a number that is also in its name, on all CPUs.
run "$PMUTRACE" count "uprobe:$calls:work" --hist arg0 --lhist 0,9,1 --exemplars -f jsonl -I 20 -- \
	"$calls" threads=8,20000
ok "hits of many threads are counted" equal "$status" 0
# Of the ranges of all intervals: $all, of which so many are without an exemplar, and have one of another range's
# number, of a thread that has another number, of no thread of a process.
perl -MJSON::PP -ne '
	BEGIN { $json = eval { require JSON::XS } ? JSON::XS->new : JSON::PP->new }
	next unless /"hist"/;
	for my $r (@{$json->decode($_)->{hist}}) {
		my $e = $r->{exemplar} or ++$n[1];
		$n[0]++;
		$n[2]++ if $e->{value} != $r->{from};
		$n[3]++ if $e->{comm} ne "calls-$e->{value}";
		$n[4]++ if !$e->{pid} || $e->{tid} == $e->{pid};
	}
	END { print join(" ", map { $_ + 0 } @n[0 .. 4]), "\n" }' "$T/out" >"$T/ranges"
read -r all without other_range other_thread no_thread <"$T/ranges"
ok "there are eight ranges, at least" between 8 "$all" 100000
ok "each has one" equal "$without" 0
ok "of the number that the range is of" equal "$other_range" 0
ok "and of the thread that has that number in its name" equal "$other_thread" 0
ok "whose numbers are its own" equal "$no_thread" 0
run "$PMUTRACE" func "$calls:rest" --exemplars -f json -- "$calls" rest=20,3
ok "without a histogram of each row one" equal "$(json "$T/out" 'my $e = $d->{rows}[0]{exemplar};
	$e->{comm} eq "calls" && $e->{value} >= 20e6 && $e->{value} <= $d->{rows}[0]{metrics}{time}{max}')" 1
ok "not later than now, and not long ago" equal "$(json "$T/out" 'my $ago = time - $d->{rows}[0]{exemplar}{time_ns} / 1e9;
	$ago > -1 && $ago < 10')" 1
run "$PMUTRACE" func "$calls:rest" -f json -- "$calls" rest=1,3
ok "who does not ask for them gets none" equal "$(json "$T/out" '$d->{rows}[0]{exemplar}')" null
check 2 "calls as they were measured do not go with --net" "$PMUTRACE" func "$calls:rest" --exemplars --net -- true

# A hundred calls for each range, one after the other: their exemplars are not the first ones, nor the last.
run "$PMUTRACE" count "uprobe:$calls:work" --hist arg0 --lhist 0,10000,100 --exemplars -f json -- "$calls" work=0..9999
ok "a hundred ranges" equal "$(json "$T/out" 'scalar @{$d->{rows}[0]{hist}}')" 100
# Of numbers that are spread evenly over a range, a hundred means are within five of their standard deviations.
ok "are told by hits from all over them" between 0.35 \
	"$(json "$T/out" 'sum0(map { ($_->{exemplar}{value} - $_->{from}) / 100 } @{$d->{rows}[0]{hist}}) / 100')" 0.65
