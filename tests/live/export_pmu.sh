#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# export with a PMU: cycles and instructions of a loop of known length are those of stat, also when the events
# have to take turns, which is told; and cache hits are hits, or there are none.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_export.sh"
need_root
"$PMUTRACE" stat -q --strict -e '{cycles,instructions}' -o "$T/out.json" -- true 2>/dev/null ||
	skip_all "pmu: this machine cannot count cycles and instructions"
# In guests nothing can be asked by HTTP; a program has the same metrics there.
witness=$O/tests/vm/node_perf
"$PMUTRACE" -V | grep -q 'with export' || [ -x "$witness" ] || need_export

# count [NAME,..] - begins to count these hardware events, or all, and caches: $exporter
count() {
	if "$PMUTRACE" -V | grep -q 'with export'; then
		# shellcheck disable=SC2046 # a list
		serve --collector.perf.disable-software-profilers \
			$(echo "${1-}" | tr , '\n' | sed -n 's/^./--collector.perf.hardware-profilers &/p')
		return
	fi
	rm -f "$T/asked" "$T/answered"
	mkfifo "$T/asked" "$T/answered"
	"$witness" ${1+"$1"} <"$T/asked" >"$T/answered" 2>"$T/export.err" &
	exporter=$!
	all_started="$all_started $exporter"
	exec 3>"$T/asked" 4<"$T/answered"
}
# ask - what it counts, into $T/body
ask() {
	if "$PMUTRACE" -V | grep -q 'with export'; then
		get /metrics
		return
	fi
	# No time passes but what it takes: also in an idle CPU some PMUs count cycles.
	echo "$T/body" >&3
	read -r _ <&4 || diag <"$T/export.err"
}
end_count() {
	exec 3>&- 4<&-
	stop "$exporter"
}
# around CMD.. - what the exporter has of it: $cycles, $instructions, and $share: for how much of the time the
# latter were on a counter
around() {
	ask && cp "$T/body" "$T/before"
	"$@"
	ask
	cycles=$(gained node_perf_cpucycles_total)
	instructions=$(gained node_perf_instructions_total)
	share=$(awk -v e="$(gained pmutrace_perf_event_enabled_seconds_total '"instructions"')" \
		-v r="$(gained pmutrace_perf_event_running_seconds_total '"instructions"')" 'BEGIN { printf "%.4f\n", r / e }')
	echo "# $cycles cycles, $instructions instructions, $share of the time"
}
# gained METRIC [LABELS] - between the last two answers, on all CPUs
gained() {
	cp "$T/body" "$T/after"
	now=$(sum "$@")
	cp "$T/before" "$T/body"
	awk -v now="$now" -v before="$(sum "$@")" 'BEGIN { printf "%.15g\n", now - before }'
	cp "$T/after" "$T/body"
}
# has SERIES - in the last answer
has() {
	grep -q "^$1" "$T/body"
}
has_come() {
	ask && has "$1"
}
# per_cent N OF PERCENT - N is within that of it
per_cent() {
	awk -v n="$1" -v of="$2" -v p="$3" 'BEGIN { print n " of " of; exit !(n >= of * (1 - p / 100) && n <= of * (1 + p / 100)) }'
}
many() {
	seq "$1" | sed "s|.*|$2|" | paste -s -d , -
}
# hits_without_halves - hits of which accesses or misses are not counted, and those that are missing though both are
hits_without_halves() {
	while read -r hits accesses misses; do
		both=no
		! has "pmutrace_perf_event_up{event=\"$accesses\",reason=\"\"} 1" ||
			! has "pmutrace_perf_event_up{event=\"$misses\",reason=\"\"} 1" || both=yes
		there=no
		! has "node_perf_cache_${hits}_total{" || there=yes
		[ $both = $there ] || echo "$hits"
	done <<-END
		l1d_read_hits L1-dcache-loads L1-dcache-load-misses
		l1d_write_hits L1-dcache-stores L1-dcache-store-misses
		tlb_instr_read_hits iTLB-loads iTLB-load-misses
		tlb_data_read_hits dTLB-loads dTLB-load-misses
		tlb_data_write_hits dTLB-stores dTLB-store-misses
		ll_read_hits LLC-loads LLC-load-misses
		ll_write_hits LLC-stores LLC-store-misses
		bpu_read_hits branch-loads branch-load-misses
	END
}

loop=$PROG/loop
n=200000000
plan 16

count CpuCycles,CpuInstr
within 10 has_come node_perf_instructions_total
around "$loop" -n $n
# What the kernel does meanwhile is counted, too, and other tasks.
ok "as many instructions as the loop has" between $n "$instructions" $((n * 105 / 100))
ok "all the time" equal "$share" 1.0000
if [ -n "${CYCLES_PER_INSTRUCTION-}" ]; then
	ok "$CYCLES_PER_INSTRUCTION cycles to an instruction" per_cent "$cycles" $((instructions * CYCLES_PER_INSTRUCTION)) 2
else
	skip 1 "inexact: only an emulator knows how many cycles an instruction takes"
fi
alone=$instructions alone_cycles=$cycles
# That begins and ends with the loop; two answers and what is done with them take some millions more.
"$PMUTRACE" stat -q -a -e cycles,instructions -o "$T/stat.json" -- "$loop" -n $n
counted=$(json "$T/stat.json" '$d->{events}[1]{value}')
ok "instructions are those of stat -a, and a little more" between $((counted * 99 / 100)) "$alone" $((counted * 105 / 100))
counted=$(json "$T/stat.json" '$d->{events}[0]{value}')
ok "so are cycles" between $((counted * 99 / 100)) "$alone_cycles" $((counted * 105 / 100))
ok "it goes on with what it had" none_went_back "$T/before" "$T/body"
ok "hits are there where accesses and misses are, and nowhere else" equal "$(hits_without_halves)" ""
ok "what there is none of says why" equal "$(grep -c '^pmutrace_perf_event_up{.*} 0$' "$T/body")" \
	"$(grep -c '^pmutrace_perf_event_up{.*reason="..*"} 0$' "$T/body")"
end_count

# Others have taken the counters but one: all hardware events take turns on that.
"$PMUTRACE" stat -q -e "$(many 24 instructions:uD)" -o "$T/pinned.json" -- "$loop" -n 4000
room=$(json "$T/pinned.json" 'scalar grep { $_->{state} eq "counted" } @{$d->{events}}')
ok "there is room for some events" between 2 "$room" 23
start "$PMUTRACE" stat -q -a -e "$(many $((room - 1)) instructions:D)" 600
sleep 0.7
count
within 10 has_come node_perf_instructions_total
around "$loop" -n $n
ok "they take turns" between 0.05 "$share" 0.9
ok "what was not counted is made up for: instructions within 5 %" per_cent "$instructions" "$alone" 5
ok "as in the loop" between $((n * 95 / 100)) "$instructions" $((n * 110 / 100))
ok "nothing went back" none_went_back "$T/before" "$T/body"
around "$loop" -n $n
ok "from then on, too: within 5 %" per_cent "$instructions" "$alone" 5
ok "nothing went back then" none_went_back "$T/before" "$T/body"
stop "$started"
around "$loop" -n $n
ok "when the counters are free again: all the time" between 0.99 "$share" 1
end_count
