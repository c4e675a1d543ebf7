#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mutate.sh [--check] - puts the faults of tests/mutants into the source, one at a time, and looks
# whether the tests catch them. Needs what the tests need: live ones root and BPF.
#
# A file for each folder of the source, faults parted by an empty line, `#` for remarks:
#     name: lost-not-counted      unique in its file
#     says: one sentence: what is broken
#     file: bpf/table.bpf.h
#     was: exact text that the file has once; further lines of it:
#        | continued behind "   | "
#     now: what stands in its place; nothing: it is left out
#     tests: live/losses unit/object/tables      in this order, until one fails
#
# The source is copied to $O/mutants/tree and built and run there: the checkout is left alone. A test
# that fails, or takes longer than TEST_SECONDS, has caught the fault; one that fails without any
# fault is not asked. A fault that does not build is an error of its text, as is one that no longer
# fits (stale). What makes no difference to any user is no fault and should not be listed.
#
# Prints TAP: ok = caught, not ok = survived or stale. Then the score of each folder and of all; exit
# status 1 below 85 %, or when any is stale. Results are kept in $O/mutants/results until the source
# or a test of theirs changes: a run that was interrupted goes on where it was.
#
# MUTANTS='bpf probe/NAME' chooses. --check: only whether every fault fits; prints nothing when so.
set -u

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
unset SKIPS TESTS MAKEFLAGS MFLAGS MAKELEVEL

if [ "${1-}" = --check ]; then
	awk -f scripts/mutants.awk tests/mutants/* |
		awk -F '\t' '$1 == "stale" { print "tests/mutants: " $2 ": " $3; bad = 1 } END { exit bad }' >&2
	exit
fi

place=${O:-build}/mutants
mkdir -p "$place/tree" "$place/results" && place=$(cd "$place" && pwd) || exit 1
tree=$place/tree
exec 9>"$place/lock"
flock -n 9 || { echo "mutate: another is at work in $place" >&2 && exit 1; }
trap 'exit 1' HUP INT TERM
[ ! -d /usr/lib/ccache ] || PATH=/usr/lib/ccache:$PATH

# copy_source - what differs, as new as now: make compares times
copy_source() {
	git ls-files --cached --others --exclude-standard >"$place/names" || return 1
	while read -r file; do
		[ -e "$file" ] && echo "$file"
	done <"$place/names" | sort >"$place/files"
	(cd "$tree" && find . -name build -prune -o -type f -print) | sed 's/^\.\///' | sort |
		comm -13 "$place/files" - | while read -r file; do rm "$tree/$file"; done
	while read -r file; do
		cmp -s "$file" "$tree/$file" && continue
		mkdir -p "$tree/$(dirname "$file")" && cp "$file" "$tree/$file" || return 1
	done <"$place/files"
}

# path_of TEST - the source of it that is run, whatever becomes of the checkout meanwhile
path_of() {
	case $1 in
	unit/*) echo "$tree/tests/$1_test.c" ;;
	*) echo "$tree/tests/$1.sh" ;;
	esac
}

# build TEST.. - the tools, and the unit tests among these
build() {
	for test; do
		case $test in
		unit/*) set -- "$@" "build/tests/${test}_test" ;;
		esac
		shift
	done
	make -C "$tree" --no-print-directory -j "$(getconf _NPROCESSORS_ONLN)" O=build all progs "$@" \
		>"$place/log" 2>&1 9>&-
}

# passes TEST - leaves its output in the log. Where nobody counted points it was not the test that
# failed.
passes() {
	case $1 in
	unit/*) program=build/tests/$1_test ;;
	*) program=tests/$1.sh ;;
	esac
	(cd "$tree" && O=build TESTS=$program scripts/run-tests.sh "${1%%/*}") >"$place/log" 2>&1 9>&- && return
	grep -q '^[0-9]* passed, ' "$place/log" && return 1
	echo "Bail out! $1 cannot be run:" && tail "$place/log" && exit 1
}

# sound TEST - it passes without a fault; once is enough
sound() {
	result=$place/results/$( (cat "$place/sum" "$(path_of "$1")" && echo "$1") | sha256sum | cut -c1-32)
	[ ! -e "$result" ] || return 0
	passes "$1" && echo sound >"$result" && return 0
	echo "# $1 fails without a fault, and is not asked:"
	grep '^not ok\|^# ' "$place/log" | grep -v '^# try' | head -n 5 | sed 's/^[^#]/# &/'
	return 1
}

# asked TEST.. - those of them that tell a fault from none
asked() {
	for test; do
		case " $unsound " in
		*" $test "*) ;;
		*) echo "$test" ;;
		esac
	done | paste -s -d ' ' -
}

# judge ID FILE TEST.. - leaves what came of it in $verdict
judge() {
	id=$1 file=$2
	shift 2
	verdict=survived
	cp "$tree/$file" "$place/original"
	cp "$place/mutated/$id" "$tree/$file"
	build "$@" || verdict="does not build: $(grep -m 1 'error' "$place/log")"
	if [ "$verdict" = survived ]; then
		for test; do
			passes "$test" && continue
			verdict="caught by $test: $(grep -m 1 '^not ok\|^# stopped' "$place/log")"
			break
		done
	fi
	cp "$place/original" "$tree/$file"
}

rm -rf "$place/mutated"
for folder in tests/mutants/*; do
	mkdir -p "$place/mutated/${folder##*/}"
done
awk -f scripts/mutants.awk -v chosen="${MUTANTS-}" -v out="$place/mutated" tests/mutants/* >"$place/list"
echo "1..$(grep -c . "$place/list")"

copy_source || exit 1
all_tests=$(awk -F '\t' '$1 == "fits" { print $4 }' "$place/list" | tr ' ' '\n' | sort -u)
# shellcheck disable=SC2086 # words
build $all_tests || { echo "Bail out! the source does not build:" && tail "$place/log" && exit 1; }

# All that a result depends on but the fault and its own tests.
grep -v '\.md$\|^tests/mutants/\|^tests/\(live\|cli\)/\|^tests/unit/.*_test\.c' "$place/files" |
	(cd "$tree" && while read -r file; do sha256sum "$file"; done) | sha256sum >"$place/sum"

unsound=
for test in $all_tests; do
	sound "$test" || unsound="$unsound $test"
done

: >"$place/score"
number=0
while IFS="$(printf '\t')" read -r what id file tests says <&3; do
	number=$((number + 1))
	if [ "$what" = stale ]; then
		verdict="stale: $file"
	else
		# shellcheck disable=SC2086 # words
		tests=$(asked $tests)
		# shellcheck disable=SC2046 # words
		result=$place/results/$( (cat "$place/sum" "$place/mutated/$id" \
			$(for test in $tests; do path_of "$test"; done) && echo "$id $tests ${TEST_SECONDS-}") |
			sha256sum | cut -c1-32)
		if [ ! -e "$result" ]; then
			# shellcheck disable=SC2086
			judge "$id" "$file" $tests
			case $verdict in caught* | survived) echo "$verdict" >"$result" ;; esac
		else
			verdict=$(cat "$result")
		fi
	fi
	echo "$id $verdict" >>"$place/score"
	case $verdict in
	caught*) echo "ok $number - $id: $verdict" ;;
	survived) echo "not ok $number - $id: survived: $says" ;;
	*) echo "not ok $number - $id: $verdict" ;;
	esac
done 3<"$place/list"

awk '
	{ split($1, part, "/"); n[part[1]]++; all++ }
	$2 == "caught" { caught[part[1]]++; caught_all++ }
	$2 != "caught" && $2 != "survived" { bad++ }
	END {
		for (folder in n)
			printf "# %-10s %3d of %3d caught\n", folder, caught[folder], n[folder] | "sort"
		close("sort")
		printf "# %-10s %3d of %3d caught: %d %%, at least 85 %% should be\n", "all", caught_all, all,
			all ? 100 * caught_all / all : 0
		exit bad || caught_all < 0.85 * all || !all
	}' "$place/score"
