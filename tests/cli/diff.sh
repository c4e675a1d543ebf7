#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# diff: shares, numbers and verdicts of files whose samples are known; several a side; what cannot be
# compared; limits and their exit status. What chance is worth is in unit/model/contrast, what real
# captures give in live/diff.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_page.sh"

plan 106

cat >"$T/a.folded" <<-'END'
	sh;main;parse 200
	sh;main;render 790
	sh;main;gone 4
	sh;main;parse;inner_[i] 6
END
cat >"$T/b.folded" <<-'END'
	sh;main;parse 600
	sh;main;render 1390
	sh;main;fresh 10
END

# row FUNCTION EXPR - of the row $r of the last JSON
row() {
	json "$T/out" "my (\$r) = grep { \$_->{key}{function} eq '$1' } @{\$d->{rows}}; $2"
}

check 0 "two files" "$PMUTRACE" diff "$T/a.folded" "$T/b.folded"
says out "what is compared" '^samples: shares of samples in functions themselves$'
says out "what A is" "^A: $T/a.folded: 1000 samples\$"
says out "and B" "^B: $T/b.folded: 2000 samples\$"
says out "20 % are 30 %; that is unsure" '^ +20\.00 +30\.00 +\+10\.00\? +[0-9.]+ +\+50\.0% +parse$'
says out "what is too little to tell" '^ +0\.40 +0\.00 cannot tell +- +gone$'
says out "why it is unsure" 'if samples were independent of each other, which they are not'
says out "losses of A" '^A: samples: 1000 kept, what was lost before is not told$'
says out "and of B" '^B: samples: 2000 kept, what was lost before is not told$'
silent err "there is nothing else to tell"

"$PMUTRACE" report -q "$T/a.folded" -o "$T/a.pb.gz"
"$PMUTRACE" report -q "$T/b.folded" -o "$T/b.pb.gz"
check 0 "profiles of pprof" "$PMUTRACE" diff -q --csv "$T/a.pb.gz" "$T/b.pb.gz"
"$PMUTRACE" diff -q --csv "$T/a.folded" "$T/b.folded" | grep -v inner >"$T/want"
ok "have the same rows" sh -c 'grep -v inner "$1" | diff "$2" -' sh "$T/out" "$T/want"
check 0 "JSON" "$PMUTRACE" diff -q --json "$T/a.folded" "$T/b.folded"
ok "its head" equal "$(json "$T/out" 'join " ", @$d{qw(schema command of rates unit confidence tested sure)}')" \
	"1 diff self share samples 0.99 3 0"
ok "sides" equal "$(json "$T/out" 'join " ", map { "$_->{side} @{$_->{files}} $_->{kept} $_->{events}[0]{event}" } @{$d->{sides}}')" \
	"a $T/a.folded 1000 samples b $T/b.folded 2000 samples"
ok "rates and the change" equal "$(row parse 'sprintf "%.4f %.4f %.4f", @{$r->{values}}{qw(a b)}, $r->{change}')" \
	"0.2000 0.3000 0.1000"
ok "samples" equal "$(row fresh '"$r->{samples}{a} $r->{samples}{b}"')" "0 10"
# Together 800 of 3000: 0.2667 * 0.7333 / 1000, and / 2000; of three the critical value is 2.9340.
ok "its interval: what counting alone leaves open" equal "$(row parse 'sprintf "%.3f %.3f", $r->{low}, $r->{high}')" \
	"$(perl -e '$p = 800 / 3000; $h = 2.9340 * sqrt($p * (1 - $p) * (1 / 1000 + 1 / 2000)); printf "%.3f %.3f", 0.1 - $h, 0.1 + $h')"
ok "unsure" equal "$(row parse '$r->{verdict}')" unsure
ok "too few are unknown, which is null" equal "$(row gone '"$r->{verdict} " . (exists $r->{low} && !defined $r->{low})')" "too-few 1"
ok "time is not known" equal "$(json "$T/out" 'exists $d->{duration_ns} && !defined $d->{duration_ns}')" 1

check 0 "CSV" "$PMUTRACE" diff -q --csv "$T/a.folded" "$T/b.folded"
ok "a line for each function" equal "$(wc -l <"$T/out")" 6
ok "its columns" grep -q -x 'function,module,samples_a,samples_b,a,b,change,low,high,verdict' "$T/out"
ok "unknown is empty" grep -q -x 'gone,,4,0,0.004,0,-0.004,,,too-few' "$T/out"

check 0 "folded: A is scaled to B's samples" "$PMUTRACE" diff -q -f folded "$T/a.folded" "$T/b.folded"
sort "$T/out" >"$T/got"
sort >"$T/want" <<-'END'
	sh;main;fresh 0 10
	sh;main;gone 8 0
	sh;main;parse 400 600
	sh;main;parse;inner_[i] 12 0
	sh;main;render 1580 1390
END
ok "stacks with two numbers" cmp "$T/want" "$T/got"
check 0 "or not" "$PMUTRACE" diff -q -f folded --absolute "$T/a.folded" "$T/b.folded"
ok "as they are" grep -q -x 'sh;main;parse 200 600' "$T/out"

check 0 "--total" "$PMUTRACE" diff -q --json --total "$T/a.folded" "$T/b.folded"
ok "with what it calls" equal "$(row parse 'sprintf "%.4f", $r->{values}{a}')" 0.2060
ok "main has it all" equal "$(row main '"$r->{values}{a} $r->{values}{b} $r->{verdict}"')" "1 1 cannot-tell"
ok "commands call nothing" equal "$(row sh 'defined $r ? 1 : 0')" 0
check 0 "--absolute" "$PMUTRACE" diff -q --json --absolute "$T/a.folded" "$T/b.folded"
ok "numbers of a file" equal "$(json "$T/out" '$d->{rates}') $(row parse '"$r->{values}{a} $r->{values}{b}"')" "per-run 200 600"

# Options that choose samples are those of report, for both sides.
check 0 "--focus" "$PMUTRACE" diff --json --focus '^(parse|fresh)$' "$T/a.folded" "$T/b.folded"
ok "both have less" equal "$(json "$T/out" 'join " ", map { $_->{kept} } @{$d->{sides}}')" "206 610"
says err "which is told for each" "a.folded: 206 of 1000 samples are selected"
check 1 "none is left" "$PMUTRACE" diff --focus nosuch "$T/a.folded" "$T/b.folded"
says err "which side that is" 'A has no samples'

# Four runs a side: what they differ by is what chance is.
for i in 1 2 3 4 5; do
	echo "sh;main;parse $((200 + 4 * i))
sh;main;render $((800 - 4 * i))" >"$T/a$i.folded"
	echo "sh;main;parse $((300 + 4 * i))
sh;main;render $((700 - 4 * i))" >"$T/b$i.folded"
done
check 0 "several a side" "$PMUTRACE" diff --json -q "$T"/a?.folded -- "$T"/b?.folded
ok "runs are the units" equal "$(json "$T/out" '"$d->{unit} $d->{sides}[0]{units} $d->{sides}[1]{units} $d->{sure}"')" "runs 5 5 1"
ok "the change is one" equal "$(row parse 'sprintf "%s %.4f %.4f", $r->{verdict}, @{$r->{values}}{qw(a b)}')" "changed 0.2120 0.3120"
check 0 "and the same on both" "$PMUTRACE" diff -q "$T"/a?.folded -- "$T"/a?.folded
says out "is none" '^ +21\.20 +21\.20 cannot tell +[0-9.]+ +parse$'
check 0 "three are too few" "$PMUTRACE" diff -q --json "$T"/a[123].folded -- "$T"/b[123].folded
ok "to be sure" equal "$(json "$T/out" '"$d->{unit} $d->{sure}"')" "samples 0"
check 0 "unless that is asked for, which does not help" "$PMUTRACE" diff -q --json --unit runs "$T"/a[123].folded -- "$T"/b[123].folded
ok "it is still unsure" equal "$(json "$T/out" '"$d->{unit} $d->{sure}"') $(row parse '$r->{verdict}')" "runs 0 unsure"

check 4 "--fail-above" "$PMUTRACE" diff --fail-above 10 "$T"/a?.folded -- "$T"/b?.folded
says err "which one, and by how much" 'parse: \+47\.2 %, which is above 10 %'
check 4 "of a function" "$PMUTRACE" diff -q --fail-above 10:parse "$T"/a?.folded -- "$T"/b?.folded
check 0 "of another one" "$PMUTRACE" diff --fail-above 10:render "$T"/a?.folded -- "$T"/b?.folded
says err "is held" 'no function of that name is above 10 %'
check 0 "near the limit" "$PMUTRACE" diff --fail-above 47:parse "$T"/a?.folded -- "$T"/b?.folded
says err "nobody can tell" 'cannot tell whether parse is above 47 %; only more than \+[0-9.]+ % would have been found'
check 0 "without units" "$PMUTRACE" diff --fail-above 5 "$T/a.folded" "$T/b.folded"
says err "nobody can tell, and what would help" 'cannot tell whether 2 of 2 functions.*; captures of profile --windows 100ms, or at least 4 files a side'
check 1 "a function that is not there" "$PMUTRACE" diff --fail-above 5:pasre "$T/a.folded" "$T/b.folded"
says err "which may have been meant" "no function is called 'pasre'; did you mean parse"

# Another event is another thing.
for event in cycles cpu-clock; do
	printf 'sh 1/1 [000] 1.0: 100 %s:\n\t1 work (/bin/p)\n\n' $event >"$T/$event.txt"
done
check 1 "different events" "$PMUTRACE" diff "$T/cycles.txt" "$T/cpu-clock.txt"
says err "are refused" 'cpu-clock.txt has no event cycles, but cpu-clock: different events cannot be compared'
check 0 "a file that does not tell" "$PMUTRACE" diff "$T/cycles.txt" "$T/a.folded"
says err "goes with any" 'a.folded does not tell its event'

printf 'sh;<script>x\033[31m,"y" 30\n' >"$T/h.folded"
for format in table json csv folded; do
	check 0 "hostile names: $format" sh -c '"$PMUTRACE" diff -q -f "$2" "$1" "$1" | grep -q "$(printf "\033")" && exit 1; exit 0' \
		sh "$T/h.folded" $format
done

"$PMUTRACE" report -q "$T/a.folded" -o "$T/a.pmut"
head -c 60 "$T/a.pmut" >"$T/short.pmut"
check 1 "a file that cannot be read" "$PMUTRACE" diff "$T/a.pmut" "$T/short.pmut"
printf 'sh;main;parse 10\nsh;main;render 10\nno stack\n' >"$T/bad.folded"
check 3 "--strict: lines are no stacks" "$PMUTRACE" diff -q --strict "$T/a.folded" "$T/bad.folded"

# usage_error NAME REGEX ARGS.. - three points
usage_error() {
	what=$1 regex=$2
	shift 2
	check 2 "$what" "$PMUTRACE" diff "$@"
	says err "$what: says what is wrong" "$regex"
	silent out "$what: nothing on stdout"
}

usage_error "one file" 'compares two files: A B' "$T/a.folded"
usage_error "three files" 'several of each side: A.. -- B..' "$T/a.folded" "$T/b.folded" "$T/a.folded"
usage_error "nothing behind --" 'no file behind --' "$T/a.folded" --
usage_error "options behind --" 'options come before' "$T/a.folded" -- "$T/b.folded" --json
usage_error "a unit that is none" "'minutes' is none of runs, windows" --unit minutes "$T/a.folded" "$T/b.folded"
usage_error "a limit that is none" "'5:' is no PERCENT" --fail-above 5: "$T/a.folded" "$T/b.folded"
usage_error "a limit of nothing" "'0' is no PERCENT" --fail-above 0 "$T/a.folded" "$T/b.folded"
check 2 "a format of one side" "$PMUTRACE" diff -f speedscope "$T/a.folded" "$T/b.folded"
says err "is not among its formats" 'does not write speedscope'

# Both sides as a page: what is not sure has no colour, and says so.
check 0 "a page" "$PMUTRACE" diff -q -o "$T/d.html" "$T"/a?.folded -- "$T"/b?.folded
for side in 0 1; do
	perl "$TOP/tests/html.pl" "$T/d.html" 0 "$side" $((side + 1)) >"$T/side"
	ok "has the stacks of side $side" equal "$(cut -d ' ' -f 1 "$T/side" | xargs)" "sh;main;parse sh;main;render"
	ok "has all samples of side $side" equal "$(awk '{ n += $NF } END { print n }' "$T/side")" 5000
done
if has_browser; then
	ask_page "$T/d.html" <<-'END'
		const changes = () => all('.list tbody tr').map((tr) => tr.querySelector('.link').title + ' ' +
			tr.children[3].textContent).join(', ');
		say(all('.tabs button').map((b) => b.textContent).join(' '));
		tab('table');
		say(changes());
		say(all('.chips span').map((s) => s.textContent.replace(/\/[^ ]*\//, '')).join(', '));
		all('.chips button')[1].click();
		say(table());
		all('.chips button')[0].click();
		say(table());
		all('.chips button')[2].click();
		key('Escape', 'body');
		say(changes());
	END
	said "has no tab for time" "Flame graph Icicle Left-heavy Callers Table"
	said "changes that are sure, and what cannot be told" "render −10.0 pp, parse +10.0 pp, main cannot tell"
	said "both sides are named, with their samples" "A: a1.folded and 4 more (5,000 samples), B: b1.folded and 4 more (5,000 samples)"
	said "side B alone" "render 3,440 3,440, parse 1,560 1,560, main 0 5,000"
	said "side A alone" "render 3,940 3,940, parse 1,060 1,060, main 0 5,000"
	ok "nothing went wrong in it" sh -c '! grep -q error: "$1"' sh "$T/said"
	mkdir "$T/<"
	cp "$T/b1.folded" "$T/</script><b id=ran>"
	check 0 "of a file whose name is markup" "$PMUTRACE" diff -q -o "$T/d.html" "$T/a1.folded" "$T/</script><b id=ran>"
	ask_page "$T/d.html" <<-'END'
		say(all('#ran').length + all('.chips span')[1].textContent.replace(/\/.*\/</, ' <'));
	END
	said "is a text" "0B:  </script><b id=ran> (1,000 samples)"
else
	skip 8 "no-chromium: pages are looked at in it"
fi
