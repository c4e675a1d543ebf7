#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# diff: of two captures of the same program its functions do not differ; of one whose function takes 10 %
# longer that is found, and it is --fail-above's exit status.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 15

# capture NAME ARGS.. - 6 s of CPU time, some 30,000 samples; without the kernel, whose part depends on who
# else is on this machine, takes the CPU away and gives it back
capture() {
	of=$1
	shift
	check 0 "a capture: $of" "$PMUTRACE" profile -q -U -e cpu-clock -F 4999 --windows 50ms -o "$T/$of.pmut" -- \
		"$PROG/slower" -s 6 "$@"
	cp "$T/out" "$T/$of.truth"
}

# is FUNCTION - what the last JSON says of it
is() {
	json "$T/out" "(map { \$_->{verdict} } grep { \$_->{key}{function} eq '$1' } @{\$d->{rows}})[0]"
}

capture a
capture again
capture slow -x 10
ok "parse took 10 % longer" perl -ane 'exit !($F[1] / $F[3] > 1.08 && $F[1] / $F[3] < 1.12)' "$T/slow.truth"

check 0 "the same again" "$PMUTRACE" diff -q --json "$T/a.pmut" "$T/again.pmut"
ok "windows tell what chance is" equal "$(json "$T/out" '"$d->{unit} $d->{sure}"')" "windows 1"
ok "none of its functions differs" equal "$(json "$T/out" 'join " ", map { $_->{key}{function} }
	grep { $_->{verdict} eq "changed" && $_->{key}{module} eq "slower" } @{$d->{rows}}')" ""

check 0 "the slower one" "$PMUTRACE" diff -q --json "$T/a.pmut" "$T/slow.pmut"
ok "parse has another share" equal "$(is parse)" changed
ok "that is 33 of 103, not 30 of 100" json "$T/out" \
	'my ($r) = grep { $_->{key}{function} eq "parse" } @{$d->{rows}};
	$r->{low} < 33 / 103 - 0.3 && $r->{high} > 33 / 103 - 0.3 or die "$r->{low} $r->{high}"'
check 4 "--fail-above" "$PMUTRACE" diff "$T/a.pmut" "$T/slow.pmut" --fail-above 1:parse
says err "says which one" 'parse: \+[0-9.]+ %, which is above 1 %'
check 0 "the other way round" "$PMUTRACE" diff "$T/slow.pmut" "$T/a.pmut" --fail-above 1:parse
check 0 "of the same again nobody can tell" "$PMUTRACE" diff "$T/a.pmut" "$T/again.pmut" --fail-above 1:parse
says err "what it would take is told" 'cannot tell whether parse is above 1 %; only more than \+[0-9.]+ % would have been found; about [0-9.]+ times'
