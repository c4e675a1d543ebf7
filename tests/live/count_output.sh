#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# count: every format has the same hits; intervals add up to all of them; what has no room is told.
. "$(dirname "$0")/../lib.sh"
need_bpf

calls=$PROG/calls
work=uprobe:$calls:work
n='my ($n) = values %{$_->{values}}; my $k = $_->{key}; '

# lines FILE EXPR - of each JSON object $d, one a line
lines() {
	perl -MJSON::PP -MList::Util=sum0 -ne 'my $d = decode_json($_); my @of = ('"$2"'); print @of, "\n"' \
		"$1"
}

# sum - of a column of numbers
sum() {
	awk '{ n += $1 } END { print n + 0 }'
}

plan 55

# One run, all formats
run "$PMUTRACE" count "$work" --by arg1:str -o "$T/a.json" -o "$T/a.csv" -o "$T/a.txt" -o - -- \
	"$calls" work=1..7
ok "counted" equal "$status" 0
ok "json: rows" equal "$(json "$T/a.json" 'join " ", map { '"$n"' $k->{"arg1:str"} . "=$n" } @{$d->{rows}}')" "odd=4 even=3"
ok "json: what was counted, how often" equal \
	"$(json "$T/a.json" 'join " ", map { @$_{qw(event state value raw)} } @{$d->{events}}')" "$work counted 7 7"
ok "json: the version of the format, the command" equal \
	"$(json "$T/a.json" '"$d->{schema} $d->{command}"')" "1 count"
ok "json: some time" json "$T/a.json" 'die if $d->{duration_ns} < 1e5 || $d->{duration_ns} > 1e11'
ok "csv" equal "$(paste -s -d ' ' "$T/a.csv")" "arg1:str,$work odd,4 even,3"
ok "table" equal "$(awk '$1 ~ /^(odd|even)$/ { print $1 "=" $2 }' "$T/a.txt" | paste -s -d ' ' -)" "odd=4 even=3"
ok "standard output has the table, too" equal "$(cat "$T/out")" "$(cat "$T/a.txt")"
says out "its end tells all hits" '^hits: 7 seen, 7 kept, nothing lost$'
ok "files for others get the end on stderr" sh -c \
	"'$PMUTRACE' count '$work' -o '$T/b.json' -- '$calls' work=1..7 2>&1 | grep -q 'hits: 7 seen, 7 kept'"
check 0 "--quiet" "$PMUTRACE" count -q "$work" -o "$T/b.json" -- "$calls" work=1..7
silent err "says nothing"
silent out "and the file is all"

# Rows
run "$PMUTRACE" count "$work" --by arg0 --rows 3 -- "$calls" work=1..9 work=4..6 work=5
ok "--rows: those with most hits" equal "$(awk '$1 ~ /^[0-9]+$/ { print $1 "=" $2 }' "$T/out" | paste -s -d ' ' -)" \
	"5=3 4=2 6=2"
says out "--rows: what the others come to" '6 more: 6 hits'
run "$PMUTRACE" count "$work" --by arg0 -- "$calls" work=1..50
says out "many rows: the others are told" '10 more: 10 hits'
run "$PMUTRACE" count "$work" --by arg0 --rows 3 --csv -o - -- "$calls" work=1..9
ok "--rows is of tables: csv has all" equal "$(tail -n +2 "$T/out" | wc -l)" 9
run "$PMUTRACE" count "$work" "uprobe:$calls:work_*" --by comm -- "$calls" work=1..9 some
says out "two probes: a column each" '^calls +9 +6$'
run "$PMUTRACE" count "$work" --by comm,container,uid -- "$calls" work=1..9
says out "what is unknown is -" '^calls +0 +- +9$|^calls +- +0 +9$'
run "$PMUTRACE" count "$work" -- "$calls" exit=0
says out "no hits are told as 0" ': 0 hits'

# Intervals
slow="'$calls' work=1..5; sleep 1; '$calls' work=2,4; sleep 0.35; '$calls' work=7"
# off_by - what the durations are more than the last time, or less, ns
off_by() {
	perl -MJSON::PP -ne '$d = decode_json($_); $n += $d->{duration_ns}; END { print abs($n - $d->{time_ns}) }' "$T/out"
}
# Between the two clocks at the end we may lose the CPU; not each time.
in_step() {
	run "$PMUTRACE" count "$work" -I 100 --json --by arg0 --sum arg0 -o - -- sh -c "$slow"
	[ "$(off_by)" -le 2000000 ]
}
tries away in_step
ok "-I: an object a line" equal "$(grep -c '^{"schema".*}$' "$T/out")" "$(wc -l <"$T/out")"
ok "-I: as many as there were" between 3 "$(wc -l <"$T/out")" 100
ok "-I: hits add up" equal "$(lines "$T/out" '$d->{kept}' | sum)" 8
ok "-I: rows add up" equal "$(lines "$T/out" 'sum0 map { values %{$_->{values}} } @{$d->{rows}}' | sum)" 8
ok "-I: sums are the interval's" equal "$(lines "$T/out" 'sum0 map { $_->{metrics}{arg0}{sum} } @{$d->{rows}}' | sum)" 28
ok "-I: a key that comes again begins anew" equal \
	"$(lines "$T/out" 'map { '"$n"' $k->{arg0} == 4 ? "$n," : () } @{$d->{rows}}' | tr -d '\n')" 1,1,
ok "-I: times go on" equal "$(lines "$T/out" '$d->{time_ns}' | sort -n -c && echo sorted)" sorted
ok "-I: durations add up to the last of them" between 0 "$(off_by)" 2000000
run "$PMUTRACE" count "$work" -I 100 --csv --by arg0 -o - -- sh -c "$slow"
ok "-I csv: one head" equal "$(grep -c time_ns "$T/out")" 1
ok "-I csv: hits add up" equal "$(awk -F , 'NR > 1 { print $3 }' "$T/out" | sum)" 8
run "$PMUTRACE" count "$work" -I 100 --by arg0 -- sh -c "$slow"
ok "-I table: hits add up" equal "$(sed -n 's/^hits: .* \([0-9]*\) kept.*/\1/p' "$T/out" | sum)" 8
run "$PMUTRACE" count "$work" -I 100 --by arg0 --hist arg0 --json -o - -- sh -c "$slow"
ok "-I: histograms add up" equal \
	"$(lines "$T/out" 'sum0 map { $_->{count} } map { @{$_->{hist}} } @{$d->{rows}}' | sum)" 8

# The busiest
run "$PMUTRACE" count "$work" --by arg0 --top 2 -I 200 -- "$calls" work=1..5 work=3..4 work=3
ok "--top: those with most hits" equal "$(awk '$1 ~ /^[0-9]+$/ { print $1 "=" $2 }' "$T/out" | paste -s -d ' ' -)" "3=3 4=2"
ok "--top without a terminal: no control codes" sh -c "! grep -q '$(printf '\033')' '$T/out'"
if command -v script >/dev/null; then
	script -q -c "stty cols 100 rows 30; exec '$PMUTRACE' count '$work' --by arg0 --top 2 -I 100 -- \
		sh -c \"$slow\"" "$T/typescript" </dev/null >/dev/null 2>&1
	ok "--top on a terminal: drawn again each time" between 3 \
		"$(tr '\033' '\n' <"$T/typescript" | grep -c '^\[H')" 100
	ok "with the hits" grep -q '^ *1 *1' "$T/typescript"
else
	skip 2 "no-script: script(1) gives no terminal"
fi
start "$PMUTRACE" count "$work" --by arg0 --top 2 -o "$T/top.txt"
top=$started
within 20 test -s "$T/top.txt"
"$calls" work=1..9
within 20 grep -q '^hits: 9 seen' "$T/top.txt" # an interval with all of them, most likely
kill -INT "$top"
ok "--top: Ctrl-C is its end" wait "$top"
ok "--top: a second each; hits add up" equal \
	"$(sed -n 's/^hits: \([0-9]*\) seen.*/\1/p' "$T/top.txt" | sum)" 9

# Of a run that they divide there is nothing behind the last.
run "$PMUTRACE" count page-faults@1 -I 300ms --json -o - 0.6
ok "-I: 0.6 s are two intervals of 300 ms" equal "$(wc -l <"$T/out")" 2
run "$PMUTRACE" count page-faults@1 -I 0.3s --json -o - 0.7
ok "-I: 0.7 s are three" equal "$(wc -l <"$T/out")" 3

# Each interval has the time that the event was on in it: together that is the run's, on each CPU.
run "$PMUTRACE" count page-faults@1 -I 200 --json -o "$T/e.json" 0.8
is_enabled() {
	perl -MJSON::PP -e 'my ($n, $ns) = (0);
		while (<STDIN>) { my $d = decode_json($_); $n += $d->{events}[0]{$ARGV[0]}; $ns = $d->{time_ns} }
		my $share = $n / ($ns * $ARGV[1]);
		print "$share of the time of $ARGV[1] CPUs\n"; exit !($share > 0.7 && $share < 1.1)' \
		"$1" "$(getconf _NPROCESSORS_ONLN)" <"$T/e.json"
}
ok "-I: an event's time is the interval's" is_enabled enabled_ns
ok "-I: and so is that on a counter" is_enabled running_ns

# What has no room
run "$PMUTRACE" count --strict "$work" --by arg0 --keys 16 -o "$T/l.json" -o - -- "$calls" work=1..60000
ok "few --keys under many: --strict fails" equal "$status" 3
ok "all were seen" equal "$(json "$T/l.json" '$d->{seen}')" 60000
ok "seen = kept + lost" equal "$(json "$T/l.json" '$d->{kept} + sum0 values %{$d->{losses}}')" 60000
ok "some were kept, most not" between 16 "$(json "$T/l.json" '$d->{kept}')" 30000
ok "the rows are the kept ones" equal "$(json "$T/l.json" 'sum0 map { values %{$_->{values}} } @{$d->{rows}}')" \
	"$(json "$T/l.json" '$d->{kept}')"
ok "none of them is wrong" equal "$(json "$T/l.json" 'join " ", map { '"$n"' $n != 1 ? "$k->{arg0}=$n" : () } @{$d->{rows}}')" ""
says out "the table says which option helps" 'lost: .*--keys'
run "$PMUTRACE" count --strict "$work" --by arg0 --keys 16 -I 50 --json -o "$T/l.json" -- "$calls" work=1..60000
ok "-I: losses are the interval's" equal "$(lines "$T/l.json" '$d->{kept} + sum0 values %{$d->{losses}}' | sum)" 60000
ok "-I: --strict fails, too" equal "$status" 3
check 0 "--strict is content where all is there" "$PMUTRACE" count --strict "$work" --by arg0 -- "$calls" work=1..1000
check 7 "and hands the command's status on" "$PMUTRACE" count --strict "$work" -- "$calls" work=1 exit=7

check 0 "a device that is full" test -e /dev/full
check 1 "is told" "$PMUTRACE" count "$work" -o /dev/full -- "$calls" work=1
