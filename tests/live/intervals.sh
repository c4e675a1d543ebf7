#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Of intervals each has what happened in it: counts, losses and times of the next are not those up to
# then.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 9

# count_by_interval ARGS.. - an object a line into $T/lines, all of them as a list into $T/all.json
count_by_interval() {
	run "$PMUTRACE" count --json "$@"
	grep '^{' "$T/out" >"$T/lines"
	{ echo '[' && paste -sd, "$T/lines" && echo ']'; } >"$T/all.json"
}
# of EXPR - $d are the intervals
of() {
	json "$T/all.json" "$1"
}

# Tables that are full all the time.
count_by_interval -I 200ms --keys 2 --by tid,ustack "uprobe:$PROG/exact:exact_call" -- \
	"$PROG/exact" -j 8 -f 150000
ok "measured, with losses" test "$status" = 0
ok "several intervals" between 2 "$(of 'scalar grep { $_->{seen} } @$d')" 1000
ok "some of them lose" between 2 "$(of 'scalar grep { sum0 values %{$_->{losses}} } @$d')" 1000
ok "seen = kept + lost, in each" equal "$(of 'join " ", grep { $_ } map {
	my $lost = sum0 values %{$_->{losses}};
	$_->{seen} == $_->{kept} + $lost ? "" : "seen $_->{seen}, kept $_->{kept}, lost $lost" } @$d')" ''
ok "all of them have what was called" equal "$(of 'sum0 map { $_->{seen} } @$d')" 1200000

# An event that is on a counter as long as it is enabled, on all CPUs all the time.
count_by_interval -I 300ms -a --duration 1.5 cpu-clock/period=1000000/
ok "measured by time" test "$status" = 0
ok "five intervals" between 4 "$(of 'scalar @$d')" 6
ok "enabled is on a counter" equal "$(of 'join " ", grep { $_ } map {
	my $e = $_->{events}[0];
	$e->{running_ns} && $e->{running_ns} <= $e->{enabled_ns} ? "" : "$e->{running_ns} of $e->{enabled_ns}" } @$d')" ''
cpus=$(getconf _NPROCESSORS_ONLN)
ok "for as long as the interval" equal "$(of 'join " ", grep { $_ } map {
	my ($e, $most) = ($_->{events}[0], ($_->{duration_ns} + 2e8) * '"$cpus"');
	$e->{enabled_ns} <= $most ? "" : "$e->{enabled_ns} of $most" } @$d')" ''
