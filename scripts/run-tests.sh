#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run-tests.sh KIND.. - runs tests (KIND: unit, cli, live) and counts them.
#
# A test is a program that prints TAP: $O/tests/unit/*/*_test (cmocka), tests/cli/*.sh (no privilege
# needed), tests/live/*.sh (root; each skips, with the reason, what this machine cannot do).
# prove(1) judges; the output of each is kept below $O/test-logs and shown when it failed. The last
# line counts test points: "N passed, N failed, N skipped". Exit status 1 when any failed.
#
# unit and cli run TEST_JOBS at once (default: as there are CPUs), live ones one by one behind them:
# they measure the machine.
#
# TESTS='a.sh b.sh' runs only these, one by one; WITHOUT='a room/b_test' all but these.
# TEST_SECONDS (default 240) is what one program may take. SKIPS=ENVIRONMENT: a skip that tests/skips
# does not list for it fails (scripts/skips.awk).
set -u

# run-tests.sh --one FILE: what prove starts for each test.
if [ "${1-}" = --one ]; then
	case $2 in
	*.sh) log=$TEST_LOGS/$(basename "$(dirname "$2")")-${2##*/}.tap && set -- sh "$2" ;;
	*) log=$TEST_LOGS/unit-$(basename "$(dirname "$2")")-${2##*/}.tap && set -- "$2" ;;
	esac
	{
		# Beside the shell, which could not hand on a signal while it waits for it otherwise: Ctrl-C
		# ends all of the test, though it is a process group of its own. A shell has what runs
		# beside it ignore two signals; a test has them as they are.
		perl -e '$SIG{INT} = $SIG{QUIT} = "DEFAULT"; exec @ARGV' \
			timeout -k 5 "${TEST_SECONDS:-240}" "$@" </dev/null 2>&1 &
		# shellcheck disable=SC2064 # this one
		trap "kill -TERM $! 2>/dev/null" HUP INT TERM
		status=0
		wait $! || status=$?
		echo "$status" >"$log.status"
	} | sed -u 's/^not ok \([0-9]*\) # SKIP/ok \1 # SKIP/' | tee "$log" # cmocka 1.1 says "not ok"
	read -r status <"$log.status"
	[ "$status" != 124 ] || echo "# stopped after ${TEST_SECONDS:-240} s" | tee -a "$log"
	exit "$status"
fi

cd "$(dirname "$0")/.." || exit 1
O=${O:-build}
mkdir -p "$O" && O=$(cd "$O" && pwd) || exit 1
TEST_LOGS=$O/test-logs
TOP=$(pwd)
rm -rf "$TEST_LOGS"
mkdir -p "$TEST_LOGS" || exit 1
export O TOP TEST_LOGS CMOCKA_MESSAGE_OUTPUT=TAP LC_ALL=C
# In a sanitizer build what the sanitizers find must not pass for an expected exit status.
export ASAN_OPTIONS="${ASAN_OPTIONS:-exitcode=99}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1:exitcode=99}"

# tests_of KIND - its programs, a line each
tests_of() {
	case $1 in
	unit) set -- "$O"/tests/unit/*/*_test ;;
	cli | live) set -- tests/"$1"/*.sh ;;
	*)
		echo "usage: run-tests.sh unit|cli|live.." >&2
		exit 2
		;;
	esac
	for file; do
		# What was built from a source since removed is no test.
		case $file in
		*/unit/*) [ -e "tests/${file##*/tests/}.c" ] || continue ;;
		esac
		name=${file##*/} room=${file%/*}
		case " ${WITHOUT-} " in
		*" ${name%.sh} "* | *" ${room##*/}/$name "*) continue ;;
		esac
		[ -e "$file" ] && echo "$file"
	done
}

# count - reads TAP of one program; prints its numbers of passed, failed and skipped points
count() {
	awk '
		/^(not )?ok( |$)/ {
			points++
			if (/^not ok/ && !/# *[Tt][Oo][Dd][Oo]/) failed++
			else if (/# *[Ss][Kk][Ii][Pp]/) skipped++
			else passed++
		}
		/^1\.\.[0-9]+/ { plan = substr($1, 4) + 0; planned = 1 }
		/^1\.\.0/ { skipped++ }	# a whole file skipped counts as one
		END {
			if (!planned || plan > points) failed += planned ? plan - points : 1
			print passed + 0, failed + 0, skipped + 0
		}'
}

[ $# -gt 0 ] || tests_of usage
at_once='' one_by_one=${TESTS-}
if [ -z "$one_by_one" ]; then
	for kind; do
		tests=$(tests_of "$kind") || exit 2
		case $kind in
		live) one_by_one=$tests ;;
		*) at_once="$at_once $tests" ;;
		esac
	done
fi
if [ -z "$at_once$one_by_one" ]; then
	echo "run-tests: no such tests" >&2
	exit 1
fi

# prove_all JOBS FILE.. - none is fine
verdict=0
prove_all() {
	jobs=$1
	shift
	[ $# -eq 0 ] || prove --timer -j "$jobs" --exec "scripts/run-tests.sh --one" "$@" || verdict=1
}
# shellcheck disable=SC2086 # lists of files without blanks
prove_all "${TEST_JOBS:-$(getconf _NPROCESSORS_ONLN)}" $at_once
# shellcheck disable=SC2086
prove_all 1 $one_by_one

passed=0 failed=0 skipped=0
for log in "$TEST_LOGS"/*.tap; do
	read -r status <"$log.status"
	# shellcheck disable=SC2046 # three numbers
	set -- $(count <"$log")
	# A program that printed good TAP and then died failed all the same.
	if [ "$2" = 0 ] && [ "$status" != 0 ]; then
		set -- "$1" 1 "$3"
	fi
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
	if [ "$2" != 0 ]; then
		echo
		echo "== $(basename "$log" .tap) (exit status $status)"
		cat "$log"
	fi
done
# What tests tried again, over all of them.
judged() {
	sed 's/^ok - /# /' "$1" | sort
	passed=$((passed + $(grep -c '^ok' "$1")))
	failed=$((failed + $(grep -c '^not ok' "$1")))
}
awk -f scripts/tries.awk "$TEST_LOGS"/*.tap >"$TEST_LOGS/tries"
judged "$TEST_LOGS/tries"
if [ -n "${SKIPS-}" ]; then
	for log in "$TEST_LOGS"/*.tap; do
		echo "# FILE $(basename "$log" .tap)" | sed 's/-/\//; s/ unit\/\([a-z]*\)-/ unit\/\1\//; s/\.sh$//'
		cat "$log"
	done >"$TEST_LOGS/all"
	awk -f scripts/skips.awk -v environment="$SKIPS" tests/skips "$TEST_LOGS/all" >"$TEST_LOGS/skips"
	judged "$TEST_LOGS/skips"
fi

grep -h -i '^ok.*# *skip\|^1\.\.0' "$TEST_LOGS"/*.tap | sed 's/.*# *[Ss][Kk][Ii][Pp] *//' |
	sort | uniq -c | sed 's/^/skipped: /'

[ "$verdict" = 0 ] || [ "$failed" != 0 ] || failed=1
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
