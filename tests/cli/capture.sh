#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Captures: made of folded stacks, read back by us and by tests/pmut.pl; cut, damaged, packed, newer;
# what they are not for. What a run keeps, window by window, is in live/capture.
. "$(dirname "$0")/../lib.sh"

plan 42

pmut() {
	perl "$TOP/tests/pmut.pl" "$@"
}

# damage FILE OFFSET - another byte there
damage() {
	perl -e 'open $f, "+<:raw", $ARGV[0]; seek $f, $ARGV[1], 0; read $f, $b, 1; seek $f, $ARGV[1], 0;
		print $f chr(ord($b) ^ 1)' "$1" "$2"
}

cat >"$T/a.folded" <<-'END'
	node;run_[j];[truncated] 40
	sh;main;inner_[i];leaf 5
	sh;main;vfs_read_[k] 2
	sh;main;work 3
END
cat >"$T/b.folded" <<-'END'
	sh;main;work 100
END
# 20,000 stacks: several blocks
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "p%d;main;f%d;g%d;h%d %d\n", i % 3, i % 100, i % 1000, i, 1 + i % 7 }' |
	sort >"$T/many.folded"

check 0 "a capture of folded stacks" "$PMUTRACE" report "$T/a.folded" -o "$T/a.pmut"
ok "its stacks, as its description has them" sh -c 'perl "$1" folded "$2" | cmp - "$3"' sh \
	"$TOP/tests/pmut.pl" "$T/a.pmut" "$T/a.folded"
ok "it is one window" equal "$(pmut windows "$T/a.pmut")" "0 0 50 node=40 sh=10"
ok "and of one event" equal "$(pmut head "$T/a.pmut")" "0 0 0 1  samples"
check 0 "the same from it" "$PMUTRACE" report -q -f folded "$T/a.pmut"
ok "stacks" cmp "$T/out" "$T/a.folded"
check 0 "as from the folded file" "$PMUTRACE" report -q --json "$T/a.folded"
cp "$T/out" "$T/a.json"
check 0 "in JSON" "$PMUTRACE" report -q --json "$T/a.pmut"
ok "all of it" cmp "$T/out" "$T/a.json"

check 0 "to stdout" sh -c '"$PMUTRACE" report -q -f pmut "$1" | "$PMUTRACE" report -q -f folded -' sh "$T/a.folded"
ok "and from a pipe" cmp "$T/out" "$T/a.folded"
gzip -c "$T/a.pmut" >"$T/packed"
check 0 "packed by gzip, under any name" "$PMUTRACE" report -q -f folded "$T/packed"
ok "it is the same" cmp "$T/out" "$T/a.folded"
cp "$T/packed" "$T/packed.bad"
damage "$T/packed.bad" 60
check 1 "packed and damaged" "$PMUTRACE" report -f folded "$T/packed.bad"
says err "that is told, too" 'packed\.bad.: what gzip has packed is damaged'
check 0 "with a folded file" "$PMUTRACE" report -q -f folded "$T/a.pmut" "$T/b.folded" --focus '^work$'
ok "they are added up" equal "$(cat "$T/out")" "sh;main;work 103"
check 0 "a part of it, kept" "$PMUTRACE" report -q "$T/a.pmut" --comm sh -o "$T/sh.pmut"
ok "is that part" equal "$(pmut windows "$T/sh.pmut")" "0 0 10 sh=10"

check 0 "a large one" "$PMUTRACE" report -q "$T/many.folded" -o "$T/many.pmut"
ok "in several blocks" test "$(grep -a -o blck "$T/many.pmut" | wc -l)" -gt 2
check 0 "is read" "$PMUTRACE" report -q -f folded "$T/many.pmut"
ok "as it was" sh -c 'sort "$1" | cmp - "$2"' sh "$T/out" "$T/many.folded"

# What is cut off.
head -c "$(($(wc -c <"$T/many.pmut") / 2))" "$T/many.pmut" >"$T/cut.pmut"
check 0 "one that is cut off" "$PMUTRACE" report --json "$T/cut.pmut"
says err "is told" 'cut\.pmut: cut off behind [0-9]+ samples'
ok "what was there is kept, the rest is a loss" equal "$(json "$T/out" '$d->{kept} > 1000 &&
	$d->{losses}{capture_cut} == 79997 - $d->{kept} && !defined $d->{seen} ? "yes" : "no"')" yes
check 3 "--strict" "$PMUTRACE" report -q --strict "$T/cut.pmut"
gzip -c "$T/many.pmut" >"$T/packed"
head -c "$(($(wc -c <"$T/packed") / 2))" "$T/packed" >"$T/packed.cut"
check 0 "packed and cut off" "$PMUTRACE" report -f folded "$T/packed.cut"
says err "that is told" 'packed\.cut: cut off behind'
head -c 30 "$T/a.pmut" >"$T/short.pmut"
check 1 "before there is anything" "$PMUTRACE" report "$T/short.pmut"
says err "is told, too" 'short\.pmut was cut off before its first samples'

cp "$T/a.pmut" "$T/bad.pmut"
damage "$T/bad.pmut" 60
check 1 "a damaged one" "$PMUTRACE" report "$T/bad.pmut"
says err "is told" 'bad\.pmut is damaged'
perl -e 'use Compress::Zlib; $h = "pmutcap\n" . pack("V", 2); print $h, pack("V", crc32($h)), "x" x 99' >"$T/new.pmut"
check 1 "a newer one" "$PMUTRACE" report "$T/new.pmut"
says err "is told as such" 'new\.pmut is from a newer pmutrace'

check 1 "one without windows has no range" "$PMUTRACE" report "$T/a.pmut" --from 1ms
says err "how to get them is told" 'profile --windows'
check 2 "a range has an end behind its begin" "$PMUTRACE" report "$T/a.pmut" --from 2 --to 1
check 1 "nor have folded stacks" "$PMUTRACE" report "$T/a.folded" --to 1
check 1 "nor have they processes" "$PMUTRACE" report "$T/a.folded" -p 1
says err "how to get these is told" '^pmutrace: --pid: the files do not tell: a capture of profile --by comm,pid does'
check 2 "a count is no capture" "$PMUTRACE" count -o "$T/c.pmut" sched:sched_switch -- true
