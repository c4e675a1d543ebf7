#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs without an end: what an interval has shown is forgotten, however many keys there are.
. "$(dirname "$0")/../lib.sh"
need_bpf

# Seeks to a place where nobody was before, some 50,000 a second, for ever.
cat >"$T/seek.pl" <<-'END'
	use strict;
	use warnings;
	open my $zero, '<', '/dev/zero' or die;
	for (my $at = 8;; $at += 8) {
		sysseek $zero, $at, 0;
		select undef, undef, undef, 0.02 if $at % 8000 == 0;
	}
END

rss_kb() {
	sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$1/status"
}

# lines N - so many places have been shown
lines() {
	[ "$(wc -l <"$T/out.csv")" -ge "$1" ]
}

plan 4

start perl "$T/seek.pl"
seeks=$started
"$PMUTRACE" count -q -p "$seeks" syscalls:sys_enter_lseek --by offset --keys 16384 -I 200 --csv \
	>"$T/out.csv" 2>"$T/err" </dev/null &
pmu=$!
all_started="$all_started $pmu"
ok "the first places are shown" within 60 lines 50000
first=$(rss_kb "$pmu")
ok "many more" within 300 lines 350000
last=$(rss_kb "$pmu")
echo "# $first kB with 50,000 keys shown, $last kB with 350,000"
# Each takes some 100 bytes while it is remembered: 30 MB.
ok "they are not remembered" [ $((last - first)) -lt 12000 ]
stop "$pmu"
stop "$seeks"
ok "each was a place of its own" equal "$(cut -d, -f2 "$T/out.csv" | sort | uniq -d | grep -c '^[0-9]')" 0
