#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Formats of other tools: files that are theirs to the letter, with the stacks and the sums of the folded
# stacks they were made of.
. "$(dirname "$0")/../lib.sh"

plan 54

cat >"$T/a.folded" <<-'END'
	sh;main;work;leaf 5
	sh;main;work 3
	sh;main;vfs_read_[k] 2
	node;run_[j] 40
	nginx: worker;main;operator new(unsigned long);malloc_[i] 7
END
sort "$T/a.folded" >"$T/want"
# What ends a script or a string, what is no character, no name at all.
{
	printf 'sh;</script><script>alert(1)</script>;"quo\\te\047;\001ctl 5\n'
	printf 'sh;main;b\377\376ad 3\n'
	printf ';x 2\n'
} >"$T/hostile.folded"

# same_stacks - as tests/FORMAT.pl prints them, and as they were
same_stacks() {
	perl "$TOP/tests/$1.pl" "$2" >"$T/stacks" || return
	sort "$T/stacks" >"$T/got"
	diff "$T/want" "$T/got"
}

# hostile FORMAT - in that format its own names, and no other stacks than folded has
hostile() {
	check 0 "$1: hostile names" "$PMUTRACE" report -q -f "$1" --title '</title>"x' "$T/hostile.folded"
	cp "$T/out" "$T/hostile.$1"
	perl "$TOP/tests/$1.pl" "$T/hostile.$1" >"$T/stacks" 2>"$T/err"
	ok "$1: are in a file of the format" test ! -s "$T/err"
	ok "$1: as they are" grep -q -x -F 'sh;</script><script>alert(1)</script>;"quo\te'"'"';'"$(printf '\001')"'ctl 5' "$T/stacks"
	ok "$1: bytes that are no character are replaced" grep -q -x "$(printf 'sh;main;b\357\277\275\357\277\275ad 3')" "$T/stacks"
	ok "$1: and what has no name is unknown" grep -q -x '\[unknown\];x 2' "$T/stacks"
	ok "$1: nothing else is there" equal "$(wc -l <"$T/stacks") $(folded_sum "$T/stacks")" "3 10"
}

check 0 "speedscope" "$PMUTRACE" report -q -f speedscope "$T/a.folded"
cp "$T/out" "$T/a.json"
ok "is what its schema says, with the stacks of the file" same_stacks speedscope "$T/a.json"
ok "samples have no unit" equal "$(json "$T/a.json" '$d->{profiles}[0]{unit}')" none
ok "their sum is at the end" equal "$(json "$T/a.json" '$d->{profiles}[0]{endValue}')" 57
ok "that losses are not known is in the name" \
	equal "$(json "$T/a.json" '$d->{profiles}[0]{name}')" "samples (57 samples, what was lost before is not told)"
ok "a name in two stacks is one frame" equal "$(json "$T/a.json" 'scalar @{$d->{shared}{frames}}')" 10
hostile speedscope
check 0 "speedscope: a selection of nothing" "$PMUTRACE" report -q -f speedscope --focus nosuch "$T/a.folded"
ok "is a file with an empty profile" perl "$TOP/tests/speedscope.pl" "$T/out"

check 0 "firefox" "$PMUTRACE" report -q -f firefox "$T/a.folded"
cp "$T/out" "$T/f.json"
ok "is what its types say, with the stacks of the file" same_stacks firefox "$T/f.json"
ok "commands are threads, most samples first" equal "$(json "$T/f.json" 'join " ", map { $_->{name} } @{$d->{threads}}')" \
	"node sh nginx: worker"
ok "each is as long as its samples" equal "$(json "$T/f.json" 'join " ", map { $_->{samples}{time}[-1] + $_->{samples}{weight}[-1] } @{$d->{threads}}')" \
	"40 10 7"
ok "the longest one is as long as the profile" equal "$(json "$T/f.json" '$d->{meta}{profilingEndTime}')" 40
ok "kinds of frames are categories" equal "$(json "$T/f.json" '
	join " ", map { $d->{meta}{categories}[$_]{name} } @{$d->{shared}{frameTable}{category}}')" \
	"Command User User User Kernel Command JIT Command User Inlined"
ok "that losses are not known is told" \
	equal "$(json "$T/f.json" '$d->{meta}{extra}[0]{entries}[1]{value}')" "what was lost before is not told"
hostile firefox
check 0 "firefox: a selection of nothing" "$PMUTRACE" report -q -f firefox --focus nosuch "$T/a.folded"
ok "is a file with an empty thread" perl "$TOP/tests/firefox.pl" "$T/out"

check 0 "chrome" "$PMUTRACE" report -q -f chrome "$T/a.folded"
cp "$T/out" "$T/c.json"
ok "is what Perfetto reads, with the stacks of the file" same_stacks chrome "$T/c.json"
ok "commands are processes" equal "$(json "$T/c.json" 'join ", ", sort map { $_->{args}{name} }
	grep { $_->{name} eq "process_name" } @{$d->{traceEvents}}')" "all processes, nginx: worker, node, sh"
ok "no time is known: there are no counters" equal "$(perl "$TOP/tests/chrome.pl" counters "$T/c.json")" ""
ok "that losses are not known is told" equal "$(json "$T/c.json" '$d->{otherData}{losses}')" \
	"what was lost before is not told"
hostile chrome
check 0 "chrome: a selection of nothing" "$PMUTRACE" report -q -f chrome --focus nosuch "$T/a.folded"
ok "is a file without samples" perl "$TOP/tests/chrome.pl" "$T/out"

check 0 "endings" "$PMUTRACE" report -q "$T/a.folded" -o "$T/x.speedscope.json" \
	-o "$T/x.firefox.json" -o "$T/x.trace.json" -o "$T/x.json" -o "$T/speedscope.json"
ok "the long one is speedscope's" same_stacks speedscope "$T/x.speedscope.json"
ok "and firefox's" same_stacks firefox "$T/x.firefox.json"
ok "and Perfetto's" same_stacks chrome "$T/x.trace.json"
ok "the short one is ours" equal "$(json "$T/x.json" '$d->{command}')" report
ok "whatever the file is called" equal "$(json "$T/speedscope.json" '$d->{command}')" report
check 0 "an ending wins" "$PMUTRACE" report -q -f csv "$T/a.folded" -o "$T/y.speedscope.json"
ok "as always" same_stacks speedscope "$T/y.speedscope.json"

check 2 "a format that is mistyped" "$PMUTRACE" report -f speedscop "$T/a.folded"
says err "is told" "unknown format 'speedscop'; did you mean speedscope\?; known: table folded svg json csv jsonl speedscope firefox chrome pprof html"
check 2 "an ending of nobody" "$PMUTRACE" report -o "$T/x.htm" "$T/a.folded"
says err "is told too" "'.htm' names no format, add -f; these do: .txt .folded .svg .json .csv .jsonl .speedscope.json .firefox.json .trace.json .pb.gz .html"
