#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files for Firefox Profiler and for Chrome, read by the code of their authors: they have the functions, with
# the sums that are made by hand.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_readers.sh"

have_readers || skip_all "$(cat "$T/no-reader")"
plan 15

# told NAME LINE - one of the lines
told() {
	ok "$1" grep -q -x -F -e "$2" "$T/told" || diag <"$T/told"
}

stacks_by_hand >"$T/a.folded"
"$PMUTRACE" report -q "$T/a.folded" -o "$T/a.firefox.json" -o "$T/a.trace.json"
open_in_firefox "$T/a.firefox.json"
cat >"$T/want" <<-'END'
	node node node: 40 0
	node node run: 40 40
	sh sh end: 10 10
	sh sh leaf: 5 5
	sh sh main: 10 0
	sh sh rec: 10 0
	sh sh sh: 20 0
	sh sh vfs_read: 2 2
	sh sh work: 8 3
END
ok "Firefox Profiler: all functions" sh -c 'LC_ALL=C sort "$1" | diff "$2" -' sh "$T/told" "$T/want"
open_firefox "$T/a.firefox.json"
firefox_cli profile meta --session "$session" --json >"$T/meta"
close_firefox
ok "and says what was lost" equal "$(json "$T/meta" '$d->{product}')" \
	"pmutrace report: samples (60 samples, what was lost before is not told)"
ok "has what we say of it" equal "$(json "$T/meta" 'join "; ", map { "$_->{label}: $_->{value}" } @{$d->{extra}[0]{entries}}')" \
	"Event: samples; Losses: what was lost before is not told; Times: none: stacks stand one behind the other, each as long as it weighs"

# Two events, whose samples weigh their periods.
cat >"$T/two.txt" <<-'END'
	sh    12 100.5: 1000000 cpu-clock:
	          401000 work+0x0 (/bin/sh)
	          402000 main+0x0 (/bin/sh)
	sh    12 100.6: 3000000 cpu-clock:
	          402000 main+0x0 (/bin/sh)
	sh    12 100.7: 7 faults:
	          402000 main+0x0 (/bin/sh)
END
"$PMUTRACE" report -q "$T/two.txt" -o "$T/two.firefox.json"
open_in_firefox "$T/two.firefox.json"
told "milliseconds of a clock" "12 12 work: 1 1"
told "all of them" "12 12 main: 4 3"
"$PMUTRACE" report -q --event faults "$T/two.txt" -o "$T/two.firefox.json"
open_in_firefox "$T/two.firefox.json"
told "samples of what is no time" "12 12 main: 1 1"

# Chrome's performance panel has marks in names, as folded stacks do.
sed 's/^node;/1 1 node;/; s/^sh;/3 3 sh;/' "$T/a.folded" >"$T/want"
devtools "$T/a.trace.json" >"$T/told" 2>"$T/err"
ok "Chrome's performance panel: all stacks" sh -c 'LC_ALL=C sort "$1" | diff "$2" -' sh "$T/told" "$T/want"
ok "chrome://tracing reads it without a warning" catapult "$T/a.trace.json"

# Names that are not there to be believed.
{
	printf 'sh;</script><script>1;"quo\\te\047;\001ctl 5\n'
	printf 'sh;main;b\377\376ad 3\n'
	printf 'sh;%%s%%n;__proto__;constructor;toString 2\n'
} >"$T/hostile.folded"
"$PMUTRACE" report -q "$T/hostile.folded" -o "$T/h.firefox.json" -o "$T/h.trace.json"
open_in_firefox "$T/h.firefox.json"
told "hostile names in Firefox Profiler" 'sh sh </script><script>1: 5 0'
told "those of objects of the language" 'sh sh __proto__: 2 0'
told "bytes that are no text" "$(printf 'sh sh b\357\277\275\357\277\275ad: 3 3')"
devtools "$T/h.trace.json" >"$T/told" 2>"$T/err"
told "in Chrome" '1 1 sh;%s%n;__proto__;constructor;toString 2'
told "and the others" "$(printf '1 1 sh;</script><script>1;"quo\\te\047;\001ctl 5')"
ok "chrome://tracing" catapult "$T/h.trace.json"

# A selection of nothing is a file that they open.
"$PMUTRACE" report -q --focus nosuch "$T/a.folded" -o "$T/n.firefox.json" >"$T/out" 2>&1
open_firefox "$T/n.firefox.json"
ok "nothing at all" equal "$(json "$T/threads" 'join " ", map { $_->{name} } @{$d->{threads}}')" "no samples"
close_firefox
