#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What intervals say of themselves adds up to the run: neither begins anew from the run's start.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 5

run "$PMUTRACE" count --json -q -I 200 cpu-clock@10000000 -a 1
ok "measured" [ "$status" = 0 ]
# sums EXPR - is it so of $nr intervals of $ns in all, $enabled with the event, that ended at $end?
sums() {
	perl -MJSON::PP -e '
		open my $f, "<", $ENV{FILE} or die;
		my ($d, $nr, $ns, $enabled, $running);
		while (<$f>) {
			$d = decode_json($_);
			$nr++;
			$ns += $d->{duration_ns};
			$enabled += $d->{events}[0]{enabled_ns};
			$running += $d->{events}[0]{running_ns};
		}
		my $end = $d->{time_ns};
		print "$nr intervals, $ns ns of $end ns, enabled for $enabled ns, on a counter for $running ns\n";
		exit !(eval $ARGV[0])' "$1"
}
FILE=$T/out
export FILE
cpus=$(getconf _NPROCESSORS_ONLN)
ok "several" sums '$nr >= 4'
ok "together they are as long as the run" sums 'abs($ns - $end) < $end / 50'
ok "the event was enabled on each CPU for as long" sums "abs(\$enabled / $cpus - \$ns) < \$ns / 10"
ok "and on a counter, as it is no PMU's" sums '$running == $enabled'
