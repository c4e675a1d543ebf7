#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Hardware events, where there is a PMU: a loop of known length has as many instructions.
. "$(dirname "$0")/../lib.sh"
need_bpf
"$PMUTRACE" profile -q -e cycles -f folded -o "$T/c.folded" -- true 2>/dev/null ||
	skip_all "pmu: this machine cannot count cycles"

# weight FILE EVENT - what its samples stand for
weight() {
	json "$1" "(map { \$_->{raw} } grep { \$_->{event} eq '$2' } @{\$d->{events}})[0]"
}

plan 19

# In an emulated guest interrupts take so long that the kernel lowers its limit of samples, and
# stops events that reach it until the next tick: what is not counted then no witness sees either.
limits=/proc/sys/kernel
if [ -n "${CYCLES_PER_INSTRUCTION-}" ]; then
	echo 100000 >$limits/perf_event_max_sample_rate
	echo 0 >$limits/perf_cpu_time_max_percent
fi
run "$PMUTRACE" profile -e cycles -F 99 -o "$T/c.folded" -o "$T/c.json" -- "$PROG/burn" -s 1
ok "-e cycles -F 99: measured" test "$status" = 0
# The kernel starts at a period of 1 and finds its way to the frequency.
ok "about 99 samples in 1 s" between 40 "$(folded_sum "$T/c.folded" ';work;')" 130
ok "nothing lost" equal "$(json "$T/c.json" 'sum0 values %{$d->{losses}}')" 0

run "$PMUTRACE" profile -e cycles:P -F 99 -o "$T/p.folded" -- "$PROG/burn" -s 0.5
ok "-e cycles:P, as precise as can be: measured" test "$status" = 0
ok "the program's function is there" grep -q ';work;' "$T/p.folded"
ok "as many samples" between 20 "$(folded_sum "$T/p.folded" ';work;')" 65

if "$PMUTRACE" profile -q -e instructions:u -f folded -o "$T/i.folded" -- true 2>/dev/null; then
	# A CPU's counter runs on from what ran before, and a sample of one period is of whoever runs at
	# its end: periods that begin in the loop and end in another task, pmutrace that empties its
	# tables, are not the loop's, and the other way round. So periods are shorter than what is
	# allowed: one at the beginning, one at the end, and what the process does besides the loop.
	n=200000000 off=4000000 period=500000
	run "$PMUTRACE" profile -e instructions:u -c $period -o "$T/i.json" -- "$PROG/loop" -n $n
	ok "-e instructions:u: measured" test "$status" = 0
	# An emulator's interrupts may come so late that a period ends before the last one was seen to.
	missed=$(json "$T/i.json" '$d->{losses}{passed_over} || 0')
	has=$(($(weight "$T/i.json" instructions:u) + missed * period))
	ok "as many as the loop has, missed ones that are told among them" between $((n - off)) $has $((n + 2 * off))
	ok "in whole periods" equal "$(json "$T/i.json" "\$d->{events}[0]{raw} - \$d->{kept} * $period")" 0

	# Of all tasks nothing is missing but what came after the last sample.
	run "$PMUTRACE" profile -a -e instructions:u -c $off -o "$T/a.json" -- "$PROG/loop" -n $n
	ok "-a: measured" test "$status" = 0
	ok "-a: all tasks have as many as the loop has" between $((n - off)) "$(weight "$T/a.json" instructions:u)" 1e12

	run "$PMUTRACE" profile -e cycles:u,instructions:u -c $period -o "$T/two.json" -- "$PROG/loop" -n $n
	ok "-e cycles:u,instructions:u: measured" test "$status" = 0
	instructions=$(weight "$T/two.json" instructions:u)
	ok "as many instructions" between $((n - off)) "$instructions" $((n + 2 * off))
	cycles=$(weight "$T/two.json" cycles:u)
	ok "and cycles" between $((n / 8)) "$cycles" $((n * 20))
	if [ -n "${CYCLES_PER_INSTRUCTION-}" ]; then
		ok "$CYCLES_PER_INSTRUCTION cycles to an instruction" between \
			$((n * CYCLES_PER_INSTRUCTION * 98 / 100)) "$cycles" $((n * CYCLES_PER_INSTRUCTION * 105 / 100))
	else
		skip 1 "inexact: only an emulator knows how many cycles an instruction takes"
	fi

	# Most of it is in another tracer's program, where the kernel keeps samples from ours: the
	# event's count is the sum of those that are there and those that are told.
	tracefs=$(sed -n 's/^[^ ]* \([^ ]*\) tracefs .*/\1/p' /proc/mounts | head -n 1)
	start "$PROG/inside_bpf" -s 5000 "$(cat "$tracefs/events/syscalls/sys_enter_getppid/id")"
	within 5 grep -q ready "$T/started.out" || exit 1 # the tracer is not there
	run "$PMUTRACE" stat --json -e instructions -o "$T/all.json" -- "$PROG/exact" -g 2000
	all=$(json "$T/all.json" '$d->{events}[0]{value}')
	run "$PMUTRACE" profile -e instructions -c 1000000 -o "$T/passed.json" -- "$PROG/exact" -g 2000
	stop "$started"
	kept=$(json "$T/passed.json" '$d->{kept}')
	passed=$(json "$T/passed.json" '$d->{losses}{passed_over} // 0')
	ok "beside another tracer: samples are passed over, and told" between 10 "$passed" 1e9
	ok "beside another tracer: with those kept they are the count" between \
		$((all * 90 / 100)) $(((kept + passed) * 1000000)) $((all * 120 / 100))
	ok "beside another tracer: so many instructions are in no sample" equal $((passed * 1000000)) \
		"$(json "$T/passed.json" '$d->{events}[0]{passed_over}')"
else
	skip 12 "pmu: this machine cannot count instructions"
fi

if [ -n "${CYCLES_PER_INSTRUCTION-}" ]; then
	check 1 "an event that the PMU lacks is refused" "$PMUTRACE" profile -q -e ref-cycles -- true
else
	skip 1 "inexact: only an emulator's PMU is known to lack ref-cycles"
fi

# With 0 the limit of samples cannot be written, which other tests do.
if [ -n "${CYCLES_PER_INSTRUCTION-}" ]; then
	echo 25 >$limits/perf_cpu_time_max_percent
fi
