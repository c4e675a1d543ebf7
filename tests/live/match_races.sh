#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# func --match: threads that begin and end intervals of the same numbers at once, and calls of threads
# that are cancelled. Each start is an interval, lost for one reason, or has no end; each end has a
# start or none: both sums are what tests/prog/racers.c and leaves.c have done.
. "$(dirname "$0")/../lib.sh"
need_bpf

racers=$PROG/racers
leaves=$PROG/leaves
plan 20

# told PATTERN - the number that a notice begins with, or 0
told() {
	sed -n "s/^pmutrace: \([0-9]*\) $1.*/\1/p" "$T/err" | grep . || echo 0
}

# race THREADS N IDS ARGS..
race() {
	threads=$1 n=$2 ids=$3
	shift 3
	run "$PMUTRACE" func --from "uprobe:$racers:race_begin" --to "uprobe:$racers:race_end" --match arg0 \
		-o "$T/race.json" "$@" -- "$racers" "$threads" "$n" "$ids"
	begun=$((threads * n))
	seen=$(json "$T/race.json" '$d->{seen}')
	kept=$(json "$T/race.json" '$d->{kept}')
	lost=$(json "$T/race.json" 'sum0 map { $d->{losses}{$_} } keys %{$d->{losses}}')
	raced=$(json "$T/race.json" '$d->{losses}{raced} || 0')
	ok "$threads threads, $ids numbers: every start has become something" equal \
		$((seen + $(told 'calls* had not returned'))) "$begun"
	ok "what is not kept is lost for a reason" equal $((kept + lost)) "$seen"
	ok "every end has a start or none" between $((begun - raced)) $((kept + $(told 'returns* of calls'))) \
		"$begun"
	ok "starts are begun again, or there is no race" test "$lost" -gt 0
}

race 8 5000 1
race 8 5000 3
race 32 1000 7
# A number is in use or not: 2 of 3 have no room.
race 8 5000 3 --tasks 1

# Threads that end inside, one after the other: none of their calls is forgotten, nor told twice.
for way in '--returns decode' '--any-depth'; do
	# shellcheck disable=SC2086 # words
	run "$PMUTRACE" func $way -o "$T/one.json" "$leaves:wait_here" -- "$leaves" cancel=300
	ok "300 threads are cancelled, $way" equal "$(json "$T/one.json" \
		'join " ", map { "$_:$d->{losses}{$_}" } sort keys %{$d->{losses}}')" exit:300
	ok "$way: no call is left" equal "$(told 'calls* had not returned')" 0
done
