#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Flame graphs that are as wide as one event and coloured by another: what a group's members count
# between two samples of its leader, held against what the kernel has counted for the program itself,
# and against pmutrace stat.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_page.sh"
need_bpf
plan 37

# drawn FILE FUNCTION - the ratio that the plain boxes of a graph tell of a function of phases
drawn() {
	perl -0ne "print \$1 if /<title>$2 \\[phases\\]\\n[^<]* (\\S+)<\\/title>/" "$1"
}

# fact FUNCTION FORMULA - of what the program has printed: ns and faults
fact() {
	awk -v name="$1" "\$1 == name { ns = \$2; faults = \$3; print $2 }" "$T/out"
}

# within_10 A B
within_10() {
	[ -n "$1" ] && awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b * 0.9 && a <= b * 1.1) }'
}

# Without a PMU: page faults in a millisecond of CPU time.
rate='1e6 * page-faults / time'
check 0 "wide as cpu-clock, coloured by page faults" "$PMUTRACE" profile -q -e cpu-clock -F 997 --color "$rate" \
	-o "$T/a.svg" -o "$T/a.json" -o "$T/a.pmut" -- "$PROG/phases" -s 1.5 -m 200 faulting spinning
ok "the rate of one function, within 10 %" within_10 "$(drawn "$T/a.svg" faulting)" "$(fact faulting '1e6 * faults / ns')"
ok "the other has next to none" awk -v a="$(drawn "$T/a.svg" spinning)" -v b="$(drawn "$T/a.svg" faulting)" \
	'BEGIN { exit !(a != "" && a < b / 20) }'
ok "their caller has the mean" within_10 "$(drawn "$T/a.svg" take_turn)" "$(awk '{ n += $3; ns += $2 } END { print 1e6 * n / ns }' "$T/out")"
faults=$(json "$T/a.json" '(grep { $_->{event} eq "page-faults" } @{$d->{events}})[0]{value}')
all=$(awk '{ n += $3 } END { print n }' "$T/out")
# Not those before a sample of another program, nor what came after the last one.
ok "in all as many as the program had, and a few to begin with" between $((all * 70 / 100)) "$faults" $((all * 105 / 100 + 1000))
ok "samples are those of the clock alone" json "$T/a.json" 'die if $d->{kept} != sum0 map { $_->{values}{"cpu-clock"} } @{$d->{rows}}'
ok "the event has no samples, but a weight" json "$T/a.json" \
	'die if grep { exists $_->{values}{"page-faults"} } @{$d->{rows}}; die unless grep { $_->{weights}{"page-faults"} } @{$d->{rows}}'
ok "the legend tells what and from where to where" grep -q '>1e6 \* page-faults / time [0-9.]*</text><rect class="r0"' "$T/a.svg"

# Two steps of each function at least: its own, and its caller's between.
if command -v node >/dev/null; then
	run node "$TOP/tests/flame_page.js" "$T/a.svg" colours
	says out "the script's colours are of the same scale" 'r6.*r0|r0.*r6'
else
	skip 1 "no-node: node is not installed"
fi

# A page tells the same of each function. Its own sums are made by the browser.
"$PMUTRACE" report -q "$T/a.pmut" --color "$rate" -o "$T/a.html"
if has_browser; then
	ask_page "$T/a.html" <<-'END'
		tab('table');
		for (const tr of all('.list tbody tr'))
			say(tr.querySelector('.link').title + ' ' + tr.children[2].textContent);
	END
	for name in faulting spinning; do
		ok "a page tells the same of $name" equal "$(sed -n "s/^$name //p" "$T/said")" "$(drawn "$T/a.svg" $name)"
	done
else
	skip 2 "no-chromium: pages are looked at in it"
fi

# The same from the capture, a part of it, and merged.
check 0 "the capture has it, too" "$PMUTRACE" report -q "$T/a.pmut" --color "$rate" -o "$T/b.svg"
ok "it is the same graph" equal "$(cat "$T/b.svg")" "$(cat "$T/a.svg")"
check 0 "twice as much of it" "$PMUTRACE" report -q "$T/a.pmut" "$T/a.pmut" --color "$rate" -o "$T/c.svg"
ok "is the same ratio" equal "$(drawn "$T/c.svg" faulting)" "$(drawn "$T/a.svg" faulting)"
check 0 "a table" "$PMUTRACE" report "$T/a.pmut"
says out "tells how many were counted" "^page-faults: $faults counted at the samples of cpu-clock"

# Most intervals end in an idle CPU: what was counted before that is charged all the same.
check 0 "a program that sleeps" "$PMUTRACE" profile -q -a -F 1999 -e '{cpu-clock,context-switches}' -o "$T/sleeps.json" -- \
	perl -e 'select undef, undef, undef, 0.0005 for 1 .. 1000'
ok "the switches of that are there" between 1400 \
	"$(json "$T/sleeps.json" '(grep { $_->{event} eq "context-switches" } @{$d->{events}})[0]{value}')" 1e9

# A group that is asked for, of several events; those that are sampled besides.
check 0 "a group" "$PMUTRACE" profile -a -e '{cpu-clock,page-faults,context-switches},task-clock@499hz' -o "$T/g.pmut" \
	-o "$T/g.json" -- "$PROG/phases" -s 0.3 faulting
says err "what is counted with what" 'sampling cpu-clock at 99 Hz, task-clock at 499 Hz, with page-faults and context-switches'
all=$(awk '{ print $3 }' "$T/out")
ok "samples of another event take nothing from it" between $((all * 80 / 100)) \
	"$(json "$T/g.json" '(grep { $_->{event} eq "page-faults" } @{$d->{events}})[0]{value}')" $((all * 3 / 2 + 20000))
check 0 "its ratios" "$PMUTRACE" report -q "$T/g.pmut" --color 'page-faults / context-switches' -o "$T/g.svg"

check 2 "not of an event that was sampled by itself" "$PMUTRACE" report "$T/g.pmut" --color 'task-clock / cpu-clock' -o "$T/x.svg"
says err "which is told" "'task-clock' was sampled by itself"
check 2 "nor of one that was not counted" "$PMUTRACE" report "$T/a.pmut" --color ipc -o "$T/x.svg"
says err "with what counts it" "profile --color"
check 2 "a second group" "$PMUTRACE" profile -e 'cpu-clock,{task-clock,page-faults}' 0.1
says err "only the first event has one" "only the first event has one"
check 2 "colours of no graph" "$PMUTRACE" profile --color ipc 0.1
ok "nothing is left of what was refused" [ ! -e "$T/x.svg" ]

if "$PMUTRACE" profile -q -e '{cycles,instructions}' -f folded -o "$T/p.folded" -- true 2>/dev/null; then
	if [ -n "${CYCLES_PER_INSTRUCTION-}" ]; then # see pmu.sh
		echo 100000 >/proc/sys/kernel/perf_event_max_sample_rate
		echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
	fi
	# What each does alone is counted by the kernel for the task, without any sample.
	alone() {
		"$PMUTRACE" stat -q --json -e '{cycles,instructions:u}' -o "$T/s.json" -- "$PROG/phases" -s 1 "$1" >/dev/null
		json "$T/s.json" '$d->{events}[1]{value} / $d->{events}[0]{value}'
	}
	check 0 "instructions:u by cycles, of two in turns" "$PMUTRACE" profile -q -e cycles -F 499 \
		--color 'instructions:u / cycles' -o "$T/p.svg" -- "$PROG/phases" -s 2 -m 300 calling spinning
	ok "one has what it has alone, within 10 %" within_10 "$(drawn "$T/p.svg" calling)" "$(alone calling)"
	ok "so has the other" within_10 "$(drawn "$T/p.svg" spinning)" "$(alone spinning)"
	check 0 "instructions per cycle" "$PMUTRACE" profile -q -e cycles --color ipc -o "$T/i.svg" -- "$PROG/phases" -s 1 spinning
	"$PMUTRACE" stat -q --json -e '{cycles,instructions}' -o "$T/s.json" -- "$PROG/phases" -s 1 spinning >/dev/null
	ok "are those of the run" within_10 "$(drawn "$T/i.svg" spinning)" "$(json "$T/s.json" '$d->{events}[1]{value} / $d->{events}[0]{value}')"
	if [ -n "${CYCLES_PER_INSTRUCTION-}" ]; then
		ok "and the emulator's" within_10 "$(drawn "$T/i.svg" spinning)" "$(awk "BEGIN { print 1 / $CYCLES_PER_INSTRUCTION }")"
	else
		skip 1 "inexact: only an emulator knows how many cycles an instruction takes"
	fi
else
	skip 6 "pmu: this machine cannot count cycles and instructions"
fi
