#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs without an end: what an interval has shown is forgotten, however many keys there are, and so are
# processes that have ended, with their mappings, perf maps and descriptors.
. "$(dirname "$0")/../lib.sh"
need_bpf
freed_is_free

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

# open_files PID [PATTERN] - by their paths; of memory and the like too without one
open_files() {
	find "/proc/$1/fd" -mindepth 1 -lname "${2:-*}" | wc -l
}

# lines N - so many places have been shown
lines() {
	[ "$(wc -l <"$T/out.csv")" -ge "$1" ]
}

plan 10

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

# Some hundred processes a second, and a few of them with code of their own and a perf map.
start "$PROG/spawn" 1000000 /bin/true
spawn=$started
start sh -c "while :; do '$PROG/jit' -s 0.05; done"
jits=$started
"$PMUTRACE" count -q -I 250 --json --by comm,ustack cpu-clock@1000000 >"$T/stacks.json" 2>"$T/err" \
	</dev/null &
pmu=$!
all_started="$all_started $pmu"
intervals() {
	[ "$(wc -l <"$T/stacks.json")" -ge "$1" ]
}
ok "stacks of the first processes are shown" within 60 intervals 16
first=$(rss_kb "$pmu") first_open=$(open_files "$pmu")
ok "those of many more" within 120 intervals 80
last=$(rss_kb "$pmu") last_open=$(open_files "$pmu") maps_open=$(open_files "$pmu" "*perf-*.map*")
kill "$jits" # the loop, and the last of its programs ends by itself
stop "$pmu"
stop "$spawn"
echo "# $first kB and $first_open files after 4 s, $last kB and $last_open files after 20 s"
ok "perf maps were read" grep -q 'jit_loop_fn' "$T/stacks.json"
# Each of some thousands takes half a kB and more while it is remembered.
ok "processes that have ended are forgotten" [ $((last - first)) -lt 5000 ]
ok "and their perf maps closed" between 0 "$maps_open" 8
# Of programs that were met 256 may be held, and 64 be open for their symbols: no more.
ok "what is open of programs has a bound" between 1 "$last_open" $((first_open + 256 + 64))
