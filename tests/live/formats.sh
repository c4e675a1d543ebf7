#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files for speedscope, Firefox Profiler and Perfetto of a real run: they have the samples and the weights
# that JSON has. tests/speedscope.pl, tests/firefox.pl and tests/chrome.pl read them as their formats are
# defined; so do the programs that people open them with.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_readers.sh"
need_bpf

# speedscope FILE PROFILE - the sum of its weights, if it is a file of that format
speedscope() {
	perl "$TOP/tests/speedscope.pl" "$@" >"$T/stacks" && folded_sum "$T/stacks"
}
firefox() {
	perl "$TOP/tests/firefox.pl" "$@" >"$T/stacks" && folded_sum "$T/stacks"
}

plan 26
pm -F 997 -o "$T/p.json" -o "$T/p.speedscope.json" -o "$T/p.firefox.json" -- "$PROG/burn" -s 0.5
ok "measured" test "$status" = 0
# The clock's period at 997 Hz is 10^9 / 997 = 1003009 ns.
kept=$(json "$T/p.json" '$d->{kept}')
ok "Firefox Profiler has samples x period" equal "$(firefox "$T/p.firefox.json")" $((kept * 1003009))
ok "and the process that was measured" equal \
	"$(json "$T/p.firefox.json" 'join " ", map { "$_->{pid} $_->{samples}{weightType}" } @{$d->{threads}}')" \
	"$(json "$T/p.json" '$d->{rows}[0]{key}{pid}') tracing-ms"
ok "speedscope has them, too" equal "$(speedscope "$T/p.speedscope.json" 0)" $((kept * 1003009))

pm -F 997 -e task-clock -o "$T/two.json" -o "$T/two.speedscope.json" -o "$T/two.firefox.json" \
	--event task-clock -- "$PROG/burn" -s 0.3
for event in 0 1; do
	ok "two events weigh in speedscope what JSON has, event $event" equal \
		"$(speedscope "$T/two.speedscope.json" $event)" "$(json "$T/two.json" "\$d->{events}[$event]{raw}")"
done
ok "the one asked for is shown" equal "$(json "$T/two.speedscope.json" '$d->{activeProfileIndex}')" 1
ok "Firefox Profiler has that one" equal "$(firefox "$T/two.firefox.json")" \
	"$(json "$T/two.json" '$d->{events}[1]{raw}')"

pm -F 997 --by comm,pid,tid -o "$T/tids.firefox.json" -o "$T/tids.json" -- "$PROG/burn" -s 0.2
ok "and threads, if they were told apart" equal "$(json "$T/tids.firefox.json" 'join " ", map { $_->{tid} } @{$d->{threads}}')" \
	"$(json "$T/tids.json" '$d->{rows}[0]{key}{tid}')"

# Perfetto's: one program, then the other; the windows tell when, tests/pmut.pl knows them from elsewhere.
pm -F 997 --windows 50ms -o "$T/w.pmut" -o "$T/w.trace.json" -o "$T/w.json" -- \
	sh -c "$PROG/syscalls -s 0.3; date +%s%N >'$T/before'; $PROG/burn -s 0.3; date +%s%N >'$T/behind'"
ok "windows of a trace" test "$status" = 0
perl "$TOP/tests/chrome.pl" samples "$T/w.trace.json" >"$T/samples"
ok "it has all samples" equal "$(wc -l <"$T/samples")" "$(json "$T/w.json" '$d->{kept}')"
perl "$TOP/tests/pmut.pl" windows "$T/w.pmut" >"$T/windows"
ok "each in the window in which it was" sh -c 'awk "NR == FNR { end[n = NR] = int(\$2 / 1000); kept[n] = \$3; next }
	{ w = 1; while (w < n && \$3 >= end[w]) w++; got[w]++ }
	END { for (w = 1; w <= n; w++) if (got[w] + 0 != kept[w] + 0) { print w, got[w], kept[w]; bad = 1 }; exit bad }" \
	"$1" "$2"' sh "$T/windows" "$T/samples"
# CPUs x length of all windows is the time that was sampled; counters have six decimals.
perl "$TOP/tests/chrome.pl" counters "$T/w.trace.json" >"$T/counters"
ok "counters add up to the time that was sampled" between 0.999 "$(awk -v all=4194304 \
	'$1 == all && $3 == "cpu-clock" { n += last * ($2 - at); last = $5; at = $2 } END { printf "%.6f", n / sum }' \
	sum="$(json "$T/w.json" '$d->{events}[0]{raw} / 1000')" "$T/counters")" 1.001
ok "and those of processes to the same" between 0.999 "$(awk -v all=4194304 \
	'$1 != all { n += last[$1] * ($2 - at[$1]); last[$1] = $5; at[$1] = $2 } END { printf "%.6f", n / sum }' \
	sum="$(json "$T/w.json" '$d->{events}[0]{raw} / 1000')" "$T/counters")" 1.001
"$PMUTRACE" report -q "$T/w.pmut" -o "$T/r.trace.json"
ok "a capture has them later" sh -c 'perl "$3" samples "$1" | cut -d" " -f3- | sort >"$1.s"; perl "$3" samples "$2" | cut -d" " -f3- | sort | cmp - "$1.s"' \
	sh "$T/w.trace.json" "$T/r.trace.json" "$TOP/tests/chrome.pl"

# Firefox Profiler's: the same windows, and how busy the processes were in them.
"$PMUTRACE" report -q "$T/w.pmut" -o "$T/w.firefox.json"
ok "Firefox Profiler has samples x period in windows, too" equal "$(firefox "$T/w.firefox.json")" \
	"$(json "$T/w.json" '$d->{events}[0]{raw}')"
perl "$TOP/tests/firefox.pl" times "$T/w.firefox.json" >"$T/times"
period=$(json "$T/w.json" '$d->{events}[0]{raw} / $d->{kept}')
ok "each sample in its window" sh -c 'awk -v period="$3" "NR == FNR { begin[++n] = \$1; end[n] = \$2; kept[n] = \$3; next }
	\$5 { for (w = 1; w <= n && !(\$3 >= begin[w] - 1 && \$4 <= end[w] + 1); w++); got[w] += \$5 / period }
	END { for (w = 1; w <= n + 1; w++) if (int(got[w] + 0.5) != kept[w] + 0) { print w, got[w], kept[w]; bad = 1 }; exit bad }" \
	"$1" "$2"' sh "$T/windows" "$T/times" "$period"
ok "all CPU time that it tells is what was sampled" equal "$(awk '{ n += $6 } END { print n }' "$T/times")" \
	"$(json "$T/w.json" '$d->{events}[0]{raw}')"
# From the window in which it begins to that in which it ends: the clock is the witness.
ok "what burns does so as long as it ran" between -0.01 "$(awk -v ran="$(($(cat "$T/behind") - $(cat "$T/before")))" '
	/ burn;/ { if (!begin) begin = $3; end = $4 }
	END { print (end - begin - ran) / 1e9 }' "$T/times")" 0.3
pm -F 997 --windows 50ms -o "$T/n.firefox.json" -- "$PROG/burn" -s 0.2
ok "--windows is for its files, too" sh -c 'perl "$1" times "$2" | grep -q " burn;"' sh "$TOP/tests/firefox.pl" "$T/n.firefox.json"

# Two events, and a process that became another program; read by the code of those who look at it.
pm -F 997 -e page-faults --windows 50ms -o "$T/x.pmut" -o "$T/x.json" -o "$T/x.folded" -- \
	sh -c "i=0; while [ \$i -lt 30000 ]; do i=\$((i + 1)); done; ls / >'$T/ls'; exec $PROG/burn -s 0.3"
ok "two events in windows" test "$status" = 0
"$PMUTRACE" report -q "$T/x.pmut" -o "$T/x.firefox.json" -o "$T/x.trace.json" >"$T/out" 2>&1
if have_readers; then
	open_in_firefox "$T/x.firefox.json"
	for event in cpu-clock page-faults; do
		ok "Firefox Profiler's counters add up to $event" equal \
			"$(awk -v "event=$event:" '$1 == "counter" && $3 == event { n += $4 } END { printf "%.6f", n }' "$T/told")" \
			"$(json "$T/x.json" "sprintf '%.6f', sum0 map { \$_->{raw} / (\$_->{unit} eq 'ns' ? 1e6 : 1) }
			grep { \$_->{event} eq '$event' } @{\$d->{events}}")"
	done
	ok "and it has all of the clock's time" equal \
		"$(awk '$1 != "counter" { n += $NF } END { printf "%.3f", n }' "$T/told")" \
		"$(json "$T/x.json" 'sprintf "%.3f", $d->{events}[0]{raw} / 1e6')"
	devtools "$T/x.trace.json" >"$T/told" 2>"$T/err"
	perl "$TOP/tests/chrome.pl" "$T/x.trace.json" | sort >"$T/want"
	ok "Chrome's performance panel has all stacks of both programs" sh -c 'cut -d" " -f3- "$1" |
		perl -ne "/(.*) (\d+)/ and \$n{\$1} += \$2; END { print \"\$_ \$n{\$_}\\n\" for keys %n }" | sort | diff "$2" -' \
		sh "$T/told" "$T/want"
	catapult "$T/x.trace.json" >"$T/told" 2>"$T/err"
	perl "$TOP/tests/chrome.pl" counters "$T/x.trace.json" | sort >"$T/want"
	ok "chrome://tracing has all counters" sh -c 'sort "$1" | diff "$2" -' sh "$T/told" "$T/want"
else
	skip 5 "$(cat "$T/no-reader")"
fi
