#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What tests try again: each try is told, and more that are spoilt than chance explains fail.
. "$(dirname "$0")/../lib.sh"

command -v awk >/dev/null || skip_all "no-awk: needs awk"

# A command that fails N times: of those that `tries` makes.
fails_for() {
	nr_tries=$((nr_tries + 1))
	[ "$nr_tries" -gt "$1" ]
}
# tried N - what `tries` prints of that: its status in $tried
tried() {
	nr_tries=0 tried=0
	tries away fails_for "$1" >"$T/out" || tried=$?
}
# judged N SPOILT REASON [FILE] - $T/out has the judgement of so many tries, spoilt ones among them
judged() {
	awk -v n="$1" -v spoilt="$2" -v reason="$3" -v file="${4:-one.sh}" 'BEGIN {
		for (i = 0; i < n; i++)
			print "# try", file, reason, (i < spoilt ? "spoilt" : "good")
	}' >"$T/tries"
	awk -f "$TOP/scripts/tries.awk" "$T/tries" >"$T/out"
}

plan 25
tried 0
ok "the first one is good: no other" equal "$tried $(paste -sd, "$T/out")" "0 # try tries.sh away good"
tried 2
ok "the third one is" equal "$tried $(paste -sd, "$T/out")" \
	"0 # try tries.sh away spoilt,# try tries.sh away spoilt,# try tries.sh away good"
tried 3
ok "there is no fourth" equal "$tried $(grep -c spoilt "$T/out") $(grep -c good "$T/out")" "1 3 0"
inside() {
	tries untold fails_for 0
	! :
}
nr_tries=0
tries away inside >"$T/out"
ok "tries in others have their own reason" equal "$(sort "$T/out" | uniq -c | awk '{ print $1, $5, $6 }' | paste -sd,)" \
	"3 away spoilt,3 untold good"

# By hand, of independent tries: that more than K of N are spoilt is the sum over i > K of
# (N over i) p^i (1-p)^(N-i). For p = 0.05: 20 tries: more than 4 are 0.0026, than 5 0.0003;
# 5 tries: more than 1 are 0.0226, than 2 0.0012, than 3 0.00003. For p = 0.1: 10 tries: more
# than 4 are 0.0016, than 5 0.0001.
for case in "20 5 away:ok" "20 6 away:not ok" "5 3 away:ok" "5 4 away:not ok" "10 5 untold:ok" "10 6 untold:not ok" \
	"1 1 away:ok" "100 0 away:ok" "100 50 away:not ok"; do
	# shellcheck disable=SC2086 # three words
	judged ${case%:*}
	ok "${case%:*}: $(sed -n 1p "$T/out")" equal "$(sed -n '1s/ - .*//p' "$T/out")" "${case#*:}"
	ok "and those of its file alike" equal "$(grep -c "^${case#*:} - " "$T/out")" "$(wc -l <"$T/out")"
done

# A run of tests that are all good, after too many that were not.
{
	cat "$T/tries"
	printf '%s\n' 'echo 1..1' 'echo "ok 1 - a point"' | sed 's/^/!/'
} | sed 's/^#.*/echo "&"/; s/^!//' >"$T/one.sh"
run env -u SKIPS O="$T/o" TESTS="$T/one.sh" "$TOP/scripts/run-tests.sh" cli
ok "fails, for the reason and for its file" equal "$status $(tail -n 1 "$T/out")" "1 1 passed, 2 failed, 0 skipped"
says out "with both numbers" '^not ok - tries: away: 50 of 100 spoilt, chance explains 13$'
sed -i 's/spoilt/good/' "$T/one.sh"
run env -u SKIPS O="$T/o" TESTS="$T/one.sh" "$TOP/scripts/run-tests.sh" cli
ok "which it does not without" equal "$status $(tail -n 1 "$T/out")" "0 3 passed, 0 failed, 0 skipped"
