#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A skip that is new fails where continuous integration says which machine this is.
. "$(dirname "$0")/../lib.sh"

cat >"$T/listed" <<-'END'
	# a remark

	one,two live/a 2 no-x: there is none
	two unit/b 1 a_test_of_it
END
# judged ENVIRONMENT - what $T/out is worth there: the verdicts, in order
judged() {
	awk -f "$TOP/scripts/skips.awk" -v environment="$1" "${2:-$T/listed}" "$T/output" >"$T/out"
	cut -d - -f 1 "$T/out" | sort | paste -sd, | tr -d ' '
}

plan 14
printf '%s\n' '# FILE live/a' 1..3 'ok 1 - x' 'ok 2 # SKIP no-x: there is none' 'ok 3 # skip no-x: there is none' \
	'# FILE live/c' 'ok 1 - says # SKIPPED' >"$T/output"
ok "as listed" equal "$(judged one)" "notok,ok"
says out "what is no skip but looks like one is none the less told" 'live/c'
sed -i '/live.c/,$d' "$T/output"
ok "as listed" equal "$(judged one)" "ok"
ok "for several environments" equal "$(judged two)" "ok"
ok "not for another" equal "$(judged three)" "notok,ok"
says out "which is told with its points" '^not ok - skips: three: live/a no-x: there is none: 2 points, expected are 0$'
ok "nothing is listed" equal "$(judged one /dev/null)" "notok,ok"
echo 'ok 4 # SKIP no-x: there is none' >>"$T/output"
ok "a point more than is listed" equal "$(judged one)" "notok,ok"
printf '%s\n' '# FILE live/a' 'ok 1 # SKIP no-y: another' >"$T/output"
ok "another reason" equal "$(judged one)" "notok,ok"
printf '%s\n' '# FILE live/d' '1..0 # SKIP no-x: there is none' >"$T/output"
ok "the same reason in another file, the whole of it" equal "$(judged one)" "notok,ok"
printf '%s\n' '# FILE unit/b' 'not ok 7 # SKIP a_test_of_it' >"$T/output"
ok "in the words of cmocka" equal "$(judged two)" "ok"

printf '%s\n' 'echo 1..1' 'echo "ok 1 # SKIP no-z: new"' >"$T/one.sh"
for skips in '' host; do
	run env O="$T/o" TESTS="$T/one.sh" SKIPS=$skips "$TOP/scripts/run-tests.sh" live
	ok "a run of tests, SKIPS='$skips'" equal "$status $(tail -n 1 "$T/out")" \
		"$([ -z "$skips" ] && echo "0 0 passed, 0 failed, 1 skipped" || echo "1 1 passed, 1 failed, 1 skipped")"
done
ok "the list of this tree has what it is to have" sh -c '! grep -v -E "^(#.*)?$|^[a-z0-9.,-]+ ((cli|live)|unit/[a-z]+)/[a-z_0-9]+ [1-9][0-9]* ." "$1"' sh "$TOP/tests/skips"
