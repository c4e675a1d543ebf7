#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Profiles of pprof of real runs: samples are those of the folded stacks of the same run, addresses and
# lines what addr2line says of them, build-ids readelf's; and `go tool pprof` takes them.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 49

# pprof_of WHAT.. - tests/pprof.pl
pprof_of() {
	perl "$TOP/tests/pprof.pl" "$@"
}

pm -F 997 -o "$T/p.pb.gz" -o "$T/p.folded" -o "$T/p.json" -o "$T/p.pmut" -- "$PROG/inlines" 0.5
ok "measured" test "$status" = 0
kept=$(json "$T/p.json" '$d->{kept}')
sed 's/_\[[kji]\]//g' "$T/p.folded" | sort >"$T/want"
pprof_of folded cpu-clock_sample "$T/p.pb.gz" >"$T/got" 2>"$T/err"
ok "as strict readers want it" test ! -s "$T/err"
ok "stacks are those of the folded file" diff "$T/want" "$T/got"
# The clock's period at 997 Hz is 10^9 / 997 = 1003009 ns.
for type in cpu-clock_event cpu; do
	pprof_of folded $type "$T/p.pb.gz" >"$T/weights"
	ok "$type: samples x period" equal "$(folded_sum "$T/weights")" $((kept * 1003009))
done
ok "the period is told" equal "$(pprof_of head "$T/p.pb.gz" | cut -d ' ' -f 1-3)" "cpu-clock nanoseconds 1003009"
pprof_of mappings "$T/p.pb.gz" >"$T/mappings"
ok "the program comes first" equal "$(head -n 1 "$T/mappings" | sed 's/.* //')" "$PROG/inlines"
ok "its build-id is readelf's" equal "$(head -n 1 "$T/mappings" | cut -d ' ' -f 5)" \
	"$(readelf -n "$PROG/inlines" | sed -n 's/.*Build ID: //p')"

# A witness of its own: each address in outer(), with the functions that addr2line finds there. It
# knows the line of no function's begin; those are in the source.
pprof_of lines "$T/p.pb.gz" | grep ' outer:' >"$T/lines"
ok "there are samples in outer()" test -s "$T/lines"
while read -r addr _; do
	addr2line -f -i -e "$PROG/inlines" "0x$addr" | paste - - | sed 's/ (discriminator .*//' |
		awk '{ printf "%s%s %s", n++ ? " " : "", $1, $2 }'
	echo
done <"$T/lines" >"$T/theirs"
sed 's/^[^ ]* //; s,\([a-z]*\):[0-9]* /,\1 /,g' "$T/lines" >"$T/ours"
ok "functions and lines are addr2line's" diff "$T/theirs" "$T/ours"
begin=$(grep -n ' void outer(void)' "$TOP/tests/prog/inlines.c" | cut -d : -f 1)
ok "outer() begins where it does" equal "$(sed -n 's/.* outer:\([0-9]*\) .*/\1/p' "$T/lines" | sort -u)" "$begin"

# A capture keeps all that.
check 0 "report of a capture" "$PMUTRACE" report -q -o "$T/again.pb.gz" -o "$T/again.folded" "$T/p.pmut"
pprof_of folded cpu-clock_event "$T/again.pb.gz" >"$T/got"
pprof_of folded cpu-clock_event "$T/p.pb.gz" >"$T/want"
ok "has the same stacks" diff "$T/want" "$T/got"
pprof_of lines "$T/again.pb.gz" | sort >"$T/got"
pprof_of lines "$T/p.pb.gz" | sort >"$T/want"
ok "and the same places" diff "$T/want" "$T/got"
perl "$TOP/tests/pmut.pl" places "$T/p.pmut" | cut -d ' ' -f 1 | sort -u >"$T/kept"
cut -d ' ' -f 1 "$T/got" | sort -u >"$T/told"
ok "the format's own reader finds these addresses in the capture" diff "$T/told" "$T/kept"
ok "which are of no interest to folded stacks" cmp "$T/p.folded" "$T/again.folded"
check 0 "report of a profile" "$PMUTRACE" report -q -o "$T/twice.pb.gz" "$T/p.pb.gz"
pprof_of lines "$T/twice.pb.gz" | sort >"$T/got"
ok "has the same places" diff "$T/want" "$T/got"

# Of everything, with the kernel and programs that nobody here wrote.
pm -a -F 499 --by comm,pid,tid,cpu -o "$T/all.pb.gz" -o "$T/all.folded" -- sh -c \
	"dd if=/dev/zero of=/dev/null bs=64k count=20000 2>/dev/null; gzip -9 <'$PMUTRACE' >/dev/null"
ok "a whole machine is measured" test "$status" = 0
pprof_of folded cpu-clock_sample "$T/all.pb.gz" >"$T/got" 2>"$T/err"
ok "as strict readers want it" test ! -s "$T/err"
sed 's/_\[[kji]\]//g' "$T/all.folded" | perl -ne '/^(.*) (\d+)$/ and $n{$1} += $2; END { print map { "$_ $n{$_}\n" } sort keys %n }' >"$T/want"
grep -v '^\[lost: ' "$T/got" >"$T/kept"
ok "stacks are those of the folded file" diff "$T/want" "$T/kept"
ok "the kernel's code has the kernel's build-id" equal \
	"$(pprof_of mappings "$T/all.pb.gz" | awk '$7 == "[kernel.kallsyms]" { print $5 }')" \
	"$(od -An -v -tx1 /sys/kernel/notes | tr -d ' \n' | sed 's/.*040000001400000003000000474e5500\(.\{40\}\).*/\1/')"

if ! command -v go >/dev/null; then
	skip 27 "tool: no Go"
	exit
fi
export HOME="$T" PPROF_TMPDIR="$T"
# The tool's own sums: its total is in microseconds and the like, raw ones are whole.
check 0 "go tool pprof -top" go tool pprof -top -sample_index=cpu-clock_sample "$T/p.pb.gz"
cp "$T/out" "$T/top"
ok "has all samples" grep -q "of $kept total" "$T/top"
ok "knows what is inlined" grep -q ' inner (inline)' "$T/top"
ok "names the program" grep -q '^File: inlines' "$T/top"
check 0 "-raw" go tool pprof -raw "$T/p.pb.gz"
ok "has its types" grep -q 'cpu-clock_sample/count cpu-clock_event/nanoseconds\[dflt\] samples/count cpu/nanoseconds' "$T/out"
check 0 "-traces" go tool pprof -traces -sample_index=samples "$T/all.pb.gz"
pid=$(pprof_of labels "$T/all.pb.gz" | awk '$1 == "pid" { print $2, $3 }' | sort -k 2 -n | tail -n 1)
check 0 "-tagfocus" go tool pprof -top -sample_index=samples -tagfocus "pid=${pid% *}" "$T/all.pb.gz"
ok "finds what one process has" grep -q "accounting for .* of $(pprof_of folded cpu-clock_sample "$T/all.pb.gz" >"$T/x"; folded_sum "$T/x") total" "$T/out"
# CPU 0 among them: of a number that is 0 the tool knows nothing but by its unit.
for cpu in 0 1; do
	check 0 "-tagfocus of CPU $cpu" go tool pprof -raw -sample_index=samples -tagfocus "cpu=$cpu" "$T/all.pb.gz"
	ok "finds its samples" equal "$(awk '/^Samples:/ { on = 1; getline; next } /^Locations/ { on = 0 }
		on && /^ +[0-9]+ +[0-9]+/ { n += $1 } END { print n + 0 }' "$T/out")" \
		"$(pprof_of labels "$T/all.pb.gz" | awk -v cpu="$cpu" '$1 == "cpu" && $2 == cpu { print $3 }')"
done
# What was lost stands beside what was kept, and is told in words.
seq 1 20000 | sed 's/.*/sh;f&;g& 1/' >"$T/many.folded"
"$PMUTRACE" report -q --max-memory 1M "$T/many.folded" -o "$T/lost.pb.gz" -o "$T/lost.json"
lost=$(json "$T/lost.json" '$d->{losses}{memory_full}')
check 0 "losses" go tool pprof -top "$T/lost.pb.gz"
ok "are a row of their own" grep -Eq "^ +$lost .* \[lost: memory_full\]\$" "$T/out"
ok "and a comment" sh -c 'go tool pprof -comments "$1" 2>&1 | grep -q "^$2 of 20000 samples lost: $2 no memory"' \
	sh "$T/lost.pb.gz" "$lost"
check 0 "-diff_base of itself" go tool pprof -top -sample_index=samples -diff_base "$T/p.pb.gz" "$T/again.pb.gz"
ok "is nothing" grep -q 'Showing nodes accounting for 0, 0% of' "$T/out"
check 0 "-list has the source" go tool pprof -list '^outer$' "$T/p.pb.gz"
ok "with the line that took the time" grep -q '/\* OUTER \*/' "$T/out"

# Its pages, from a port that is free.
port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
start "$(go tool -n pprof)" -http "127.0.0.1:$port" -no_browser "$T/p.pb.gz"

# page PATH - fetches one into $T/out, once the server is there
page() {
	# shellcheck disable=SC2016 # perl's
	perl -MHTTP::Tiny -e 'my $r; for (1 .. 100) {
		$r = HTTP::Tiny->new->get($ARGV[0]);
		last if $r->{success};
		select undef, undef, undef, 0.1;
	}
	print $r->{content};
	exit !$r->{success}' "http://127.0.0.1:$port$1" >"$T/out"
}
ok "-http: functions" page /ui/top
ok "have the inlined one" grep -q 'inner' "$T/out"
ok "-http: a flame graph" page /ui/flamegraph
ok "-http: the source" page '/ui/source?f=outer'

# What Go's compiler wants of a profile: one of its pairs of types, and where each function begins, by
# which it finds the lines of calls (cmd/internal/pgo: "profile missing Function.start_line data").
pm -F 997 --pprof cpu -o "$T/go.pb.gz" -- "$PROG/goroutines" 100 20000
ok "a program in Go is measured" test "$status" = 0
ok "in samples and nanoseconds" equal "$(pprof_of types "$T/go.pb.gz" | tr '\n' ' ')" \
	"samples count cpu nanoseconds * "
begin=$(grep -n '^func deep(' "$TOP/tests/prog/goroutines.go" | cut -d : -f 1)
# Before 1.20 its debug information did not tell that, nor did the compiler want it.
go version | grep -q ' go1\.1[0-9]\.' && begin=0
ok "its functions begin where they do" equal "$(pprof_of lines "$T/go.pb.gz" | grep -o 'main\.deep:[0-9]*' | sort -u)" "main.deep:$begin"
