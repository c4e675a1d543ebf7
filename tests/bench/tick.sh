#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tick.sh [SECTION].. - samples in the scheduler's tick beside those of a cpu-clock event: the figures of
# docs/tick.md.
#
#   cost     CPU time of a sample, in BPF and in all; what that comes to on 64 CPUs. Each CPU is filled by
#            the same load: a loop, real programs, stacks of 6 to 40 frames (tests/prog/deepwl.c). Sources
#            take turns.
#   user     CPU time of pmutrace itself beside 64 CPUs
#   idle     interrupts of timers on CPUs that have nothing to do
#   shares   functions of seven loads, three of them our own: both sources sample the same run
#   step     what both give to a program that timers wake, beside the CPU time that it has used
#
# ROUNDS (9), SECONDS_EACH (4), O: the build; LOADS: of cost and user, parted by commas (all). Figures of
# different runs do not compare: ratios do.
set -u
. "$(dirname "$0")/../lib.sh"

ROUNDS=${ROUNDS:-9}
SECONDS_EACH=${SECONDS_EACH:-4}
bin=$O/tests/bench
cpus=$(nproc)
hz=$("$PMUTRACE" profile --source tick 0.1 2>&1 >/dev/null | sed -n 's/.*which comes \([0-9]*\) times.*/\1/p')
[ -n "$hz" ] || {
	"$PMUTRACE" profile --source tick 0.1 >/dev/null
	exit 1
}

median() {
	sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
# least - of times that what else happens on a machine makes longer, never shorter
least() {
	sort -n | head -n 1
}
calc() {
	awk "BEGIN { printf \"%.${2:-2}f\", $1 }"
}
# fill NICE COMMAND.. - one on each CPU, in the background, with all that it starts in a group
fill() {
	nice=$1
	shift
	for cpu in $(seq 0 $((cpus - 1))); do
		start setsid nice -n "$nice" taskset -c "$cpu" "$@"
	done
	sleep 0.5
}
empty() {
	for pid in $all_started; do
		kill -s KILL -- "-$pid" 2>/dev/null
		stop "$pid"
	done
}
trap 'empty; end_test' EXIT

# load NAME - a command of the shell that goes on for ever
load() {
	case $1 in
	loop) echo "exec '$PROG/burn' -s 86400" ;;
	slower) echo "exec '$PROG/slower' -s 86400" ;;
	deepwl*) echo "exec '$PROG/deepwl' -s 86400 -p 1 -k 1000" ;;
	xz) echo "while :; do xz -9 -T1 -c '$T/data' >/dev/null; done" ;;
	perl) echo "exec perl -e 'while (1) { my %h; \$h{\$_ * 7 % 10007} .= \"x\$_\" for 1 .. 30000; my @s = sort { \$h{\$a} cmp \$h{\$b} } keys %h; my \$t = join \",\", map { s/(\\d)/<\$1>/gr } @s }'" ;;
	sqlite) echo "while :; do sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c limit 5000000) select count(distinct x % 1009), sum(length(hex(x))) from c'; done" ;;
	gcc) echo "while :; do gcc -O2 -w -S -o /dev/null -x c '$T/big.c'; done" ;;
	esac
}

# in_bpf SOURCE HZ ARGS.. - us of CPU time in BPF programs, all of them, for a sample, once it has settled:
# ticks and timers without a sample are in it
in_bpf() {
	source=$1 rate=$2 us=0
	shift 2
	for kind in '' -s; do
		[ "$source$kind" = tick ] && continue # it has no program on perf events
		status=1 run_ns=0
		# shellcheck disable=SC2086 # a flag or nothing
		eval "$("$bin/measure" $kind -t "$SECONDS_EACH" -w 1 -e "$T/err" \
			"$PMUTRACE" profile --source "$source" -F "$rate" -a "$@" -o "$T/x.folded")"
		[ "$status" = 0 ] || exit 1
		us=$(calc "$us + $run_ns / 1e3 / $SECONDS_EACH / $cpus / $rate")
	done
	echo "$us"
}
# slowdown COMMAND.. - how many us a second of the loop on the last CPU takes longer meanwhile: that, and
# of the loop alone, a few times each in turn
slowdown() {
	for _ in $(seq "$ROUNDS"); do
		alone=$(nice -n -20 "$bin/pace" $((cpus - 1)) 1)
		"$@" >/dev/null 2>"$T/err" &
		profiler=$!
		sleep 0.4
		beside=$(nice -n -20 "$bin/pace" $((cpus - 1)) 1)
		kill -INT "$profiler" 2>/dev/null
		wait "$profiler"
		calc "($beside / $alone - 1) * 1e6" 0
		echo
	done | median
}

# way_of NAME - how stacks are followed there
way_of() {
	case $1 in
	*fp) echo --call-graph fp ;;
	esac
}
# beside_all NICE COMMAND - for each load in turn, at that priority: COMMAND NAME ARGS..
beside_all() {
	echo "${LOADS:-loop,xz,perl,sqlite,deepwl,deepwl fp,gcc}" | tr , '\n' >"$T/loads"
	while read -r beside <&3; do
		fill "$1" sh -c "$(load "$beside")"
		# shellcheck disable=SC2046 # words, or none
		"$2" "$beside" $(way_of "$beside")
		empty
	done 3<"$T/loads"
}
# cost_of NAME ARGS.. - of what is running; $interrupt: of one sample's interrupt, us
cost_of() {
	name=$1
	shift
	: >"$T/bpf"
	for _ in $(seq "$ROUNDS"); do
		for source in tick cpu-clock; do
			echo "$source 99 $(in_bpf "$source" 99 "$@")" >>"$T/bpf"
		done
		echo "tick $hz $(in_bpf tick "$hz" "$@")" >>"$T/bpf"
	done
	tick=$(awk '$1 == "tick" && $2 == 99 { print $3 }' "$T/bpf" | least)
	fast=$(awk -v hz="$hz" '$1 == "tick" && $2 == hz { print $3 }' "$T/bpf" | least)
	clock=$(awk '$1 == "cpu-clock" { print $3 }' "$T/bpf" | least)
	all=$(calc "$clock + $interrupt")
	printf '  %-12s %6s %6s %8s %8s  %5s  %6s %6s\n' "$name" "$tick" "$fast" "$clock" "$all" \
		"$(calc "$all / $tick" 1)" "$(calc "64 * 99 * $tick / 1e4")" "$(calc "64 * 99 * $all / 1e4")"
}

cost() {
	for program in measure pace floor; do
		[ -x "$bin/$program" ] || {
			echo "$0: $bin/$program is not built: make $bin/$program" >&2
			exit 1
		}
	done
	# The interrupt: of an event whose program does nothing, at a rate at which it can be seen.
	rate=4000
	interrupt=$(calc "$(slowdown "$bin/floor" "$O/tests/bench/floor.bpf.o" floor_empty "$rate") / $rate")
	echo "the interrupt of a cpu-clock event: $interrupt us, by the slowdown of a loop at $rate Hz"
	echo "least of $ROUNDS, us: a sample at 99 Hz in BPF, in the tick, and at $hz Hz; of cpu-clock, and with its"
	echo "interrupt: how many times as much. At 99 Hz on 64 busy CPUs, in % of one core"
	echo "                 tick at $hz    clock   in all  times    tick  clock"
	beside_all -15 cost_of # little else is sampled
	echo "slowdown of a loop by $hz samples a second, us: cpu-clock" \
		"$(slowdown "$PMUTRACE" profile -q --source cpu-clock -F "$hz" -o "$T/x.folded")," \
		"tick $(slowdown "$PMUTRACE" profile -q --source tick -F "$hz" -o "$T/x.folded")"
}

# taken PID - CPU time of a process and all that it has started, without programs in the kernel, ms
taken() {
	perl "$TOP/tests/cost.pl" "$1" | awk '{ printf "%.0f", $2 / 1e6 }'
}
# user_of NAME ARGS.. - of what is running, in the third and fourth of some windows of 10 s
user_of() {
	name=$1
	shift
	"$PMUTRACE" profile -q --source cpu-clock -F $((64 * 99 / cpus)) -a --continuous --every 10s \
		--out-dir "$T/windows" --metrics "$T/metrics" "$@" 2>"$T/err" &
	profiler=$!
	# Programs that measure are new to it once: their files are read by then.
	sleep 5
	taken "$profiler" >/dev/null
	sleep 20
	before=$(taken "$profiler")
	sleep 20
	all=$(calc "$(taken "$profiler") - $before" 0)
	kill -INT "$profiler"
	wait "$profiler"
	part=$(awk '/^pmutrace_profile_samples_total/ { n += $2 } /^pmutrace_profile_windows_total/ { w += $2 }
		END { print w ? n / w / 10 / 64 / 99 : 0 }' "$T/metrics")
	printf '  %-12s %6s %6s %7s\n' "$name" "$all" "$(calc "$all / 20 / 10")" "$(calc "100 * $part" 0)"
}
# User space does not know where samples come from: beside as many a second as 64 CPUs have, of two that are
# sampled more often. It is a lower figure: a stack that comes again on its CPU is one row, and 64 have their own.
user() {
	echo "pmutrace itself beside as many samples a second as 64 CPUs have at 99 Hz: ms of CPU time in 20 s, in % of"
	echo "one core, and how many of these samples there were, %"
	# Names are found by threads and processes of no priority, which would have no CPU beside a higher one.
	beside_all 0 user_of
}

interrupts() {
	awk '/^ *LOC:/ || / arch_timer$/ { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' \
		/proc/interrupts
}
idle() {
	for _ in $(seq "$ROUNDS"); do
		for source in none tick cpu-clock; do
			if [ "$source" != none ]; then
				start "$PMUTRACE" profile -q --source "$source" -F 99 -o "$T/x.folded" 100
				sleep 1
			fi
			before=$(interrupts)
			sleep "$SECONDS_EACH"
			echo "$source $(calc "($(interrupts) - $before) / $SECONDS_EACH" 0)"
			empty
		done
	done >"$T/idle"
	echo "interrupts of timers a second, $cpus CPUs, at 99 Hz; least and median of $ROUNDS:"
	for source in none tick cpu-clock; do
		echo "  $source $(awk -v s="$source" '$1 == s { print $2 }' "$T/idle" | sort -n | head -n 1)" \
			"$(awk -v s="$source" '$1 == s { print $2 }' "$T/idle" | median)"
	done
}

# compare NAME - functions of $T/tick.json and $T/clock.json: how many have 1 % or more, the largest
# difference of shares in standard deviations, and what may be expected of so many (99 of 100 times)
compare() {
	perl -MJSON::PP -e '
		my ($name, @files) = @ARGV;
		my (@n, @all);
		for my $i (0, 1) {
			open my $f, "<", $files[$i] or die;
			local $/;
			my $d = decode_json <$f>;
			for my $row (@{$d->{rows}}) {
				my ($n) = values %{$row->{values}};
				$n[$i]{$row->{key}{stack}[-1] // "?"} += $n;
				$all[$i] += $n;
			}
		}
		my ($nr, $most, $where, $off, $chi) = (0, 0, "", 0, 0);
		for my $f (sort keys %{{ %{$n[0]}, %{$n[1]} }}) {
			my ($x, $y) = map { $n[$_]{$f} // 0 } 0, 1;
			my $p = ($x + $y) / ($all[0] + $all[1]);
			next if $p < 0.01 || $p == 1;
			my $d = $x / $all[0] - $y / $all[1];
			my $z = abs($d) / sqrt($p * (1 - $p) * (1 / $all[0] + 1 / $all[1]));
			$nr++;
			($most, $where, $off) = ($z, $f, $d) if $z > $most;
		}
		my $limit = 2.58;
		$limit += 0.01 while $nr > 0 && 1 - (1 - 2 * tail($limit)) ** $nr > 0.01;
		sub tail { my $z = shift; my $t = 1 / (1 + 0.2316419 * $z);
			return exp(-$z * $z / 2) / 2.5066283 * $t * (0.31938153 + $t * (-0.356563782 + $t *
				(1.781477937 + $t * (-1.821255978 + $t * 1.330274429)))) }
		printf "  %-10s %6d %6d  %3d  %5.2f (%.2f)  %s %+.2f\n", $name, @all, $nr, $most, $limit,
			$where, 100 * $off;' "$1" "$T/tick.json" "$T/clock.json"
}
# of_load NAME COMM - for half a minute; sampled by both from when it has begun
of_load() {
	start setsid sh -c "$(load "$1")"
	load=$started
	sleep 1
	"$PMUTRACE" profile -q --source tick -F "$hz" --comm "$2" -o "$T/tick.json" $((SECONDS_EACH * 5)) &
	first=$!
	"$PMUTRACE" profile -q --source cpu-clock -F $((hz - 3)) --comm "$2" -o "$T/clock.json" $((SECONDS_EACH * 5))
	wait "$first"
	kill -s KILL -- "-$load" 2>/dev/null
	wait "$load" 2>/dev/null
	forget "$load"
	compare "$1"
}
shares() {
	echo "the same run sampled in the tick and by cpu-clock: samples of both, functions with 1 % or more, the"
	echo "largest difference in standard deviations (what 99 of 100 stay below), where, in percentage points:"
	of_load loop burn
	of_load deepwl 'deepwl*'
	of_load slower slower
	of_load xz xz
	of_load perl perl
	of_load sqlite sqlite3
	of_load gcc cc1
}

step() {
	echo "woken by a timer, 1 ms of work every 8 ms: samples in % of the CPU time used"
	for words in '-o 50' '-o 2000' '-o 3500' '-j 8000' '-p 10000 -o 50' '-p 7919 -o 50'; do
		for source in tick cpu-clock; do
			# shellcheck disable=SC2086 # words
			"$PMUTRACE" profile -q --source "$source" -F 99 -f folded -o "$T/s.folded" -- \
				"$PROG/in_step" -s $((SECONDS_EACH * 3)) $words >"$T/cpu" || exit
			n=$(folded_sum "$T/s.folded" '^in_step;')
			eval "n_$(echo $source | tr -d -)=\"$(calc "100 * $n / 99 / $(cat "$T/cpu") * 1e9" 0) ($n)\""
		done
		# shellcheck disable=SC2154 # set by eval
		printf '  %-16s tick %-12s cpu-clock %s\n' "$words" "$n_tick" "$n_cpuclock"
	done
}

# A file that gcc takes a second for.
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "int f%d(int x, int *a) { int s = %d; for (int i = 0; i < x; i++) { s += a[i] * %d; if (s & %d) s ^= a[i & 7]; } return s; }\n", i, i, i * 7, i }' >"$T/big.c"
for _ in 1 2 3 4; do cat "$PMUTRACE"; done >"$T/data"

[ $# -gt 0 ] || set -- cost user idle shares step
echo "# $(uname -sr), $cpus CPUs, $hz ticks a second"
for section; do
	"$section"
done
