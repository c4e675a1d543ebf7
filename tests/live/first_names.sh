#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Names of a first interval on one CPU that others keep busy: who looks them up is waited for while it
# computes, since nobody looks at a screen; longer if it is the last one, too.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 6

for _ in 1 2 3; do
	start taskset -c 0 sh -c 'while :; do :; done'
done

# count_late - six first intervals: kept, and late, which have addresses
count_late() {
	kept=0 late=0
	for _ in 1 2 3 4 5 6; do
		run taskset -c 0 "$PMUTRACE" top -b -q -n 1 -d 0.4 --json --by function
		kept=$((kept + $(json "$T/out" '$d->{kept}')))
		late=$((late + $(json "$T/out" '$d->{incomplete}{names_late} // 0')))
	done
	echo "# $late of $kept samples of first intervals have addresses"
}

# Without the wait a third of all samples had addresses, here.
count_late
ok "there are samples" [ $kept -gt 100 ]
ok "nearly all have names" [ $((late * 5)) -lt $kept ]

# What is waited for ends neither a run nor an interval later, and belongs to its interval.
run taskset -c 0 "$PMUTRACE" count --json -q -I 250 cpu-clock@10000000 -a --by stack 1
ok "intervals are as long as they are to be" perl -MJSON::PP -ne '
	my $d = decode_json($_);
	$nr++;
	$ns += $d->{duration_ns};
	$seen += $d->{seen};
	$told += $d->{kept};
	$told += $_ for values %{$d->{losses}};
	END { print "$nr intervals of $ns ns in all, $seen seen, $told told\n"; exit !($nr == 4 && $seen == $told) }' \
	"$T/out"

# A CPU that somebody takes away for longer than names are waited for without progress, as hypervisors
# do: nearly all samples had addresses.
start chrt -f 10 taskset -c 0 perl -MTime::HiRes=time,sleep -e '
	while (1) {
		my $until = time + 0.06;
		1 while time < $until;
		sleep 0.04;
	}'
hog=$!
count_late
ok "somebody takes the CPU away" kill -0 $hog
ok "there are samples" [ $kept -gt 20 ]
ok "nearly all have names although a CPU is taken away" [ $((late * 5)) -lt $kept ]
