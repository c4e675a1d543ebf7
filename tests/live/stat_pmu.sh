#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `pmutrace stat` with a PMU: a loop of known length, alone, in groups, and with more events than
# there are counters.
. "$(dirname "$0")/../lib.sh"
need_root
"$PMUTRACE" stat -q --strict -e '{cycles:u,instructions:u}' -o "$T/out.json" -- true 2>/dev/null ||
	skip_all "pmu: this machine cannot count cycles and instructions"

# stat ARGS.. - leaves $T/out.json
stat() {
	run "$PMUTRACE" stat -o "$T/out.json" "$@"
}

# of EXPR - of the last result; $e are its events
of() {
	json "$T/out.json" "my \$e = \$d->{events}; $1"
}

# value I - of the event of that index
value() {
	of "\$e->[$1]{value} // '-'"
}

# many N EVENT - a list of it
many() {
	seq "$1" | sed "s|.*|$2|" | paste -s -d , -
}

# worst N - how far the events of the last result are from it at most, in percent
worst() {
	of "use List::Util 'max'; sprintf '%.2f', max map { abs(\$_->{value} / $1 - 1) * 100 } @\$e"
}

# added_up - the first event in the JSON lines of $T/out, summed
added_up() {
	sed '/^{/!d' "$T/out" >"$T/intervals"
	while read -r line; do
		echo "$line" >"$T/line.json"
		json "$T/line.json" '$d->{events}[0]{value} // 0'
	done <"$T/intervals" | awk '{ n += $1 } END { print n }'
}

loop=$PROG/loop
n=40000000
plan 65

# What starting and ending the process takes is in both runs.
stat -e instructions:u -- "$loop" -n 4
base=$(value 0)
slack=5000
stat -e instructions:u,cs -- "$loop" -n $n
ok "a command is counted" equal "$status" 0
ok "as many instructions as the loop has" between $((n - slack)) $(($(value 0) - base)) $((n + slack))
ok "all the time" equal "$(of '$e->[0]{enabled_ns} - $e->[0]{running_ns}')" 0
ok "raw is the value" equal "$(of '$e->[0]{raw} - $e->[0]{value}')" 0
solo=$(value 0)

# Groups: read together, and only they give metrics.
stat -e '{cycles:u,instructions:u},task-clock' -- "$loop" -n $n
ok "in a group: as many instructions" between $((solo - slack)) "$(value 1)" $((solo + slack))
ok "in a group: enabled and running are those of the leader" equal \
	"$(of 'join " ", map { $e->[0]{$_} == $e->[1]{$_} } qw(enabled_ns running_ns group)')" "1 1 1"
ok "in a group: instructions per cycle" equal "$(of '$e->[1]{metric}{text}')" "insn per cycle"
ok "are their quotient" equal "$(of 'sprintf "%.2f", $e->[1]{metric}{value}')" \
	"$(of 'sprintf "%.2f", $e->[1]{value} / $e->[0]{value}')"
ok "with a clock cycles are a frequency" equal "$(of '$e->[0]{metric}{text}')" GHz
if [ -n "${CYCLES_PER_INSTRUCTION-}" ]; then
	ok "$CYCLES_PER_INSTRUCTION cycles to an instruction" equal \
		"$(of '$e->[0]{value} / $e->[1]{value}')" "$CYCLES_PER_INSTRUCTION"
	ok "a cycle a nanosecond" between 0.98 "$(of '$e->[0]{metric}{value}')" 1.01
else
	skip 2 "inexact: only an emulator knows how many cycles an instruction takes"
fi
stat -e cycles:u,instructions:u -- "$loop" -n $n
ok "without a group: no instructions per cycle" test "$(of '$e->[1]{metric}{text}')" != "insn per cycle"
stat -e '{cycles:u,instructions:u}' -- sh -c "'$loop' -n $n; '$loop' -n $n; :"
ok "in a group: with children" between $((2 * solo)) "$(value 1)" $((2 * solo + n / 10))
stat --no-inherit -e '{cycles:u,instructions:u}' -- sh -c "'$loop' -n $n; :"
ok "in a group: without children" between 1000 "$(value 1)" $((n / 10))

# Exclude bits.
stat -e '{instructions:u,instructions:k,instructions}' -- "$loop" -n $n
ok "user and kernel are all there is" between 0.999 "$(of '($e->[0]{value} + $e->[1]{value}) / $e->[2]{value}')" 1.001
ok "the kernel's part of a loop is small" between 1000 "$(value 1)" $((n / 5))
stat -e '{instructions,cycles}:u' -- "$loop" -n $n
ok "modifiers of a group are those of its members" between $((solo - slack)) "$(value 0)" $((solo + slack))
ok "and are in their names" equal "$(of 'join ",", map { $_->{event} } @$e')" instructions:u,cycles:u

# More events than counters: the kernel takes turns.
stat -e "$(many 24 instructions:u)" -- "$loop" -n 150000000
ok "more than the PMU has: all are multiplexed" equal "$(of 'join ",", keys %{{map { $_->{state} => 1 } @$e}}')" multiplexed
ok "each ran for a part of the time" equal \
	"$(of 'scalar grep { $_->{running_ns} && $_->{running_ns} < $_->{enabled_ns} } @$e')" 24
ok "each was scaled" equal \
	"$(of 'scalar grep { abs($_->{value} - $_->{raw} * $_->{enabled_ns} / $_->{running_ns}) < 2 } @$e')" 24
ok "each is within 5 % of what it counts alone" between 0 "$(worst $((150000000 + base)))" 5
# A task's events on one CPU are held against the time that the task was there.
stat --per-cpu -e instructions:u -- "$loop" -n $n
ok "--per-cpu: counted" equal "$(of '$e->[0]{state}')" counted
ok "--per-cpu: as much as without" between $((solo - slack)) "$(value 0)" $((solo + slack))
stat --per-cpu -e "$(many 24 instructions:u)" -- "$loop" -n 150000000
ok "--per-cpu: more than the PMU has are multiplexed" equal \
	"$(of 'join ",", keys %{{map { $_->{state} => 1 } @$e}}')" multiplexed
ok "--per-cpu: and within 5 %" between 0 "$(worst $((150000000 + base)))" 5
check 3 "--strict does not like that" "$PMUTRACE" stat --strict -o "$T/s.json" -e "$(many 24 instructions:u)" -- "$loop" -n $n
stat -e "$(many 6 '{instructions:u,cycles:u,instructions:u}')" -- "$loop" -n 150000000
ok "more groups than fit: these take turns" equal "$(of 'join ",", keys %{{map { $_->{state} => 1 } @$e}}')" multiplexed
ok "their members together" equal \
	"$(of 'scalar grep { $e->[$_]{running_ns} == $e->[$_ - $_ % 3]{running_ns} } 0 .. 17')" 18

# A group that is too large is found out.
group="{$(many 24 instructions:u)}"
run "$PMUTRACE" stat -e "$group" -- "$loop" -n 4000
ok "a group larger than the PMU: is no error" equal "$status" 0
says err "is not counted" '<not counted> +instructions:u'
says err "the reason has its size" 'group of 24 needs more counters'
stat --strict -e "$group,instructions:u" -- "$loop" -n $n
ok "--strict: is one" equal "$status" 3
ok "it has no value" equal "$(of 'join ",", keys %{{map { ($_->{value} // "null") . " " . $_->{state} => 1 } @$e[0 .. 23]}}')" "null not-counted"
ok "the event beside it has" between $((solo - slack)) "$(value 24)" $((solo + slack))
stat --per-cpu -e "$group,instructions:u" -C 0 0.1
ok "on a CPU as well" equal "$(of '$e->[0]{state} . " " . $e->[24]{state}')" "not-counted counted"

# Pinned: on a counter all the time, or not at all.
stat -e instructions:uD -- "$loop" -n $n
ok "pinned: one is counted" between $((solo - slack)) "$(value 0)" $((solo + slack))
stat -e "$(many 24 instructions:uD)" -- "$loop" -n $n
pinned=$(of 'scalar grep { $_->{state} eq "counted" } @$e')
ok "pinned: the first are counted" between 2 "$pinned" 23
ok "as if they were alone" equal \
	"$(of "scalar grep { \$_->{value} && abs(\$_->{value} - $solo) <= $slack } @\$e")" "$pinned"
ok "the others fall off" equal "$(of 'scalar grep { $_->{state} eq "not-counted" && !defined $_->{value} } @$e')" \
	$((24 - pinned))
ok "and say why" equal "$(of 'scalar grep { ($_->{why} // "") =~ /^pinned, but the PMU had no counter/ } @$e')" \
	$((24 - pinned))
stat -e "instructions:u,$(many "$pinned" instructions:uD)" -- "$loop" -n 4000000
ok "who is not pinned gets nothing then" equal "$(of '$e->[0]{state}')" not-counted

# Others have taken the counters but one: a group that would fit is never on.
start "$PMUTRACE" stat -a -o "$T/others.json" -e "$(many $((pinned - 1)) instructions:uD)" 300
sleep 0.7
run "$PMUTRACE" stat -e '{instructions:u,cycles:u,instructions:u},page-faults' -- "$loop" -n $n
stop "$started"
ok "a group that finds no counters: is no error" equal "$status" 0
says err "is not counted" '<not counted> +cycles:u'
says err "the reason has its size" 'group of 3 was never on the PMU'

# Alone on the PMU.
stat -e instructions:ue,cycles:ue -- "$loop" -n $n
ok "exclusive: two take turns, though there is room for both" equal \
	"$(of 'join ",", map { $_->{state} } @$e')" multiplexed,multiplexed

# Precise: of use for samples only; some PMUs refuse it here, others do not care.
stat -e instructions:uP -- "$loop" -n $n
ok "as precise as can be: counted" between $((solo - slack)) "$(value 0)" $((solo + slack))
if "$PMUTRACE" stat -q -e instructions:uppp -- true >"$T/out" 2>"$T/err"; then
	silent out "as precise as can be: there was nothing to announce"
	stat -e instructions:uppp,page-faults -- "$loop" -n $n
	ok "ppp: counted" between $((solo - slack)) "$(value 0)" $((solo + slack))
else
	stat -e instructions:uP -- true
	says err "as precise as can be: what that is" 'precise_ip [012] is the most'
	stat -e instructions:uppp,page-faults -- true
	ok "ppp: not supported" equal "$(of '$e->[0]{state} . ($e->[0]{why} ? " with a reason" : "")')" \
		"not-supported with a reason"
fi

# Repetitions, rows, intervals, a process that runs.
stat -r 3 -e '{instructions:u,cycles:u}' -- "$loop" -n $n
ok "-r 3: mean" between $((solo - slack)) "$(of '$e->[0]{runs}{mean}')" $((solo + slack))
ok "-r 3: is the value" equal "$(of '$e->[0]{runs}{mean} - $e->[0]{value}')" 0
ok "-r 3: three runs, hardly any spread" between 0 "$(of '$e->[0]{runs}{n} == 3 ? $e->[0]{runs}{stddev} : -1')" "$slack"
stat --per-cpu -e instructions:u -- "$loop" -n $n
ok "--per-cpu: add up to the loop" between $((solo - slack)) \
	"$(of 'sum0 map { $_->{values}{"instructions:u"} // 0 } @{$d->{rows}}')" $((solo + slack))
run "$PMUTRACE" stat -I 20 -e '{instructions:u,cycles:u}' --json -o - -- "$loop" -n $n
ok "-I: intervals add up to the whole" between $((solo - slack)) "$(added_up)" $((solo + slack))
run "$PMUTRACE" stat -I 100 -e "$(many $((2 * pinned)) instructions:u)" --json -o - -- "$loop" -n 150000000
ok "-I: multiplexed, within 5 %" between 142500000 "$(added_up)" 157500000
start "$loop" -n 4000000000
stat -e '{cycles:u,instructions:u}' -p "$started" 0.2
kill -KILL "$started"
ok "-p: counted" between $((n / 4)) "$(value 1)" 4000000000
if [ -n "${CYCLES_PER_INSTRUCTION-}" ]; then
	ok "-p: for as long as asked for" between 0.19e9 "$(value 0)" 0.21e9
else
	skip 1 "inexact: only an emulator's loop has the CPU for itself"
fi

# The PMU's own words for the same event.
pmu=$(find /sys/bus/event_source/devices/ -name 'armv8*' -printf '%f\n' | head -n 1)
if [ -n "$pmu" ]; then
	stat -e "r8:u,$pmu/event=0x08/u,$pmu/inst_retired/u,inst_retired:u,${pmu%?}*/event=8/u" -- "$loop" -n $n
	ok "$pmu: counted" equal "$(of 'join ",", keys %{{map { $_->{state} => 1 } @$e}}')" counted
	ok "raw code, terms, name, bare name, glob: as instructions" between 0 "$(worst "$solo")" 0.01
	run "$PMUTRACE" stat -e "$pmu/no_such_term=1/" -- true
	ok "$pmu: a term that it lacks is refused" equal "$status" 2
	stat -e instructions:uI -- true
	ok "$pmu: cannot leave out idle time" equal "$(of '$e->[0]{state}')" not-supported
else
	skip 4 "pmu: not an arm64 one"
fi

# Without permission for the kernel's part the rest is counted, under another name.
if [ -n "${CYCLES_PER_INSTRUCTION-}" ] && command -v setpriv >/dev/null; then
	paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	run setpriv --reuid=65534 --clear-groups "$PMUTRACE" stat --json -o - \
		-e '{cycles,instructions},instructions:k' -- "$loop" -n $n
	echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
	cp "$T/out" "$T/out.json"
	ok "nobody: user space is counted, and the names say so" equal "$(of 'join ",", map { $_->{event} } @$e')" \
		cycles:u,instructions:u,instructions:k
	ok "nobody: as many instructions" between $((solo - slack)) "$(value 1)" $((solo + slack))
	ok "nobody: not the kernel's" equal "$(of '$e->[2]{state}')" no-permission
	says err "nobody: is announced" 'only user space is counted'
else
	skip 4 "inexact: the settings of a real machine are left alone"
fi
