#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Profiles of pprof, written and read: with the stacks and sums of the folded stacks that they were made
# of. tests/pprof.pl reads them by nothing but their wire format.
. "$(dirname "$0")/../lib.sh"

plan 34

cat >"$T/a.folded" <<-'END'
	nginx: worker;main;operator new(unsigned long);malloc_[i] 7
	node;run_[j] 40
	sh;main;vfs_read_[k] 2
	sh;main;work 3
	sh;main;work;leaf 5
END
# It has no marks.
sed 's/_\[[kji]\]//' "$T/a.folded" >"$T/want"

# stacks TYPE FILE - as folded stacks
stacks() {
	perl "$TOP/tests/pprof.pl" folded "$@"
}

check 0 "pprof of folded stacks" "$PMUTRACE" report -q -o "$T/a.pb.gz" "$T/a.folded"
stacks samples_sample "$T/a.pb.gz" >"$T/got" 2>"$T/err"
ok "has the same stacks" diff "$T/want" "$T/got"
ok "as strict readers want it" test ! -s "$T/err"
ok "what samples stood for is not known: it has no such type" equal \
	"$(perl "$TOP/tests/pprof.pl" types "$T/a.pb.gz")" "samples_sample count *"
ok "that losses are not known is a comment" equal \
	"$(perl "$TOP/tests/pprof.pl" comments "$T/a.pb.gz" | tail -n 1)" "what was lost before is not told"
ok "commands are labels" equal "$(perl "$TOP/tests/pprof.pl" labels "$T/a.pb.gz" | tr '\n' ' ')" \
	"comm nginx: worker 7 comm node 40 comm sh 10 "
check 0 "-f pprof on a pipe" "$PMUTRACE" report -q -f pprof "$T/a.folded"
ok "is the same file" cmp "$T/a.pb.gz" "$T/out"
check 0 "report reads it" "$PMUTRACE" report -q -f folded "$T/a.pb.gz"
sed 's/_\[[kj]\]//' "$T/a.folded" >"$T/want"
ok "stacks come back, inlined functions as such" diff "$T/want" "$T/out"
gunzip <"$T/a.pb.gz" >"$T/plain.pb"
check 0 "and one that is not packed, from a pipe" sh -c "'$PMUTRACE' report -q -f folded - <'$T/plain.pb'"
ok "as well" diff "$T/want" "$T/out"
check 0 "with --comm" "$PMUTRACE" report -q -f folded --comm sh "$T/a.pb.gz"
ok "those of a command" equal "$(wc -l <"$T/out") $(folded_sum "$T/out")" "3 10"

# Names that are not there to be believed.
{
	printf 'sh;</script><script>alert(1)</script>;"quo\\te\047;\001ctl 5\n'
	printf 'sh;main;b\377\376ad 3\n'
	printf ';x 2\n'
} >"$T/hostile.folded"
check 0 "hostile names" "$PMUTRACE" report -q -o "$T/hostile.pb.gz" "$T/hostile.folded"
stacks samples_sample "$T/hostile.pb.gz" >"$T/got" 2>"$T/err"
ok "are in a file of the format" test ! -s "$T/err"
ok "as they are" grep -q -F 'sh;</script><script>alert(1)</script>;"quo\te'"'"';'"$(printf '\001')"'ctl 5' "$T/got"
ok "bytes that are no character are replaced" grep -q "$(printf 'sh;main;b\357\277\275\357\277\275ad 3')" "$T/got"

# Two events: of perf script, whose samples weigh their periods.
cat >"$T/two.txt" <<-'END'
	sh    12 100.5: 1000 cycles:
	          401000 work+0x0 (/bin/sh)
	          402000 main+0x0 (/bin/sh)
	sh    12 100.6: 3000 cycles:
	          401000 work+0x0 (/bin/sh)
	          402000 main+0x0 (/bin/sh)
	sh    12 100.7: 1 faults:
	          401000 work+0x0 (/bin/sh)
	          402000 main+0x0 (/bin/sh)
END
check 0 "two events" "$PMUTRACE" report -q --event faults -o "$T/two.pb.gz" "$T/two.txt"
ok "are types of one profile, the chosen one first" equal "$(perl "$TOP/tests/pprof.pl" types "$T/two.pb.gz" | tr '\n' ' ')" \
	"cycles_sample count cycles_event count faults_sample count faults_event count * "
ok "samples" equal "$(stacks cycles_sample "$T/two.pb.gz")" "sh;main;work 2"
ok "weigh what they stood for" equal "$(stacks cycles_event "$T/two.pb.gz")" "sh;main;work 4000"
check 0 "they come back" "$PMUTRACE" report -q --json "$T/two.pb.gz"
ok "as they were" equal "$(json "$T/out" 'join " ", map { "$_->{event} $_->{raw}" } @{$d->{events}}')" "cycles 4000 faults 1"
check 0 "--pprof=cpu" "$PMUTRACE" report -q --pprof cpu -o "$T/cpu.pb.gz" "$T/two.txt"
ok "has samples alone" equal "$(perl "$TOP/tests/pprof.pl" types "$T/cpu.pb.gz")" "samples count *"
check 0 "two files are one" "$PMUTRACE" report -q -f folded "$T/a.pb.gz" "$T/a.pb.gz"
ok "with both samples" equal "$(folded_sum "$T/out")" 114

check 2 "another kind" "$PMUTRACE" report --pprof=gpu -o "$T/x.pb.gz" "$T/a.folded"
ok "is no kind" grep -q "known are all and cpu" "$T/err"
head -c 300 "$T/plain.pb" >"$T/cut.pb"
check 1 "a file that is cut off" "$PMUTRACE" report "$T/cut.pb"
ok "is told" grep -q "is no profile of pprof, or damaged" "$T/err"
perl -e 'print "\x32\x00\x0a\x04\x08\x00\x10\x00"; print "\x22\x02\x08\x01" x 20000000' | gzip >"$T/bomb.pb.gz"
check 1 "a small file that unpacks to gigabytes" timeout 60 "$PMUTRACE" report --max-memory 64M "$T/bomb.pb.gz"
ok "is told to take more memory" grep -q -- "--max-memory" "$T/err"
