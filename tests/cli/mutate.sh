#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# scripts/mutate.sh: which faults are caught, in a project of two files and two tests.
. "$(dirname "$0")/../lib.sh"
command -v git >/dev/null || skip_all "no-git: the project's files are git's"

plan 23

p=$T/project
mkdir -p "$p/scripts" "$p/src" "$p/tests/cli" "$p/tests/mutants"
for script in mutate.sh mutants.awk run-tests.sh tries.awk; do
	cp "$TOP/scripts/$script" "$p/scripts/"
done
git -C "$p" init -q
printf '/o/\n/build/\n' >"$p/.gitignore"
printf 'all progs: build/sum\nbuild/sum: src/sum.sh\n\tsh -n $< && mkdir -p build && cp $< $@\n' >"$p/Makefile"
# shellcheck disable=SC2016 # of another script
printf 'a=$1\nb=$2\nif [ -z "$b" ]; then\n\texit 2\nfi\necho "$((a + b))"\n' >"$p/src/sum.sh"
test_of() {
	printf 'echo 1..1\n%s && echo "ok 1 - sum" || echo "not ok 1 - sum"\n' "$1"
}
# shellcheck disable=SC2016
test_of 'test "$(sh "$O/sum" 2 3)" = 5' >"$p/tests/cli/sum.sh"
test_of 'false' >"$p/tests/cli/never.sh"

# fault NAME WAS NOW TESTS
fault() {
	printf 'name: %s\nsays: it is %s\nfile: src/sum.sh\nwas: %s\nnow: %s\ntests: %s\n\n' "$1" "$1" "$2" "$3" "$4"
}
mutate() {
	run env O="$p/o" MUTANTS="${chosen-}" TEST_SECONDS=2 "$p/scripts/mutate.sh" "$@"
}

{
	echo '# a remark'
	fault wrong '+' '-' cli/sum
	fault two-lines 'exit 2
   | fi' 'exit 3
   | fi' cli/sum
	fault endless 'echo "$((' 'while :; do :; done; echo "$((' cli/sum
} >"$p/tests/mutants/src"
mutate --check
ok "all fit" test "$status" = 0
silent err "and nothing is said"
mutate
ok "two of three is less than 85 %" test "$status" = 1
says out "one is caught by a test that fails" '^ok 1 - src/wrong: caught by cli/sum: not ok 1 - sum'
says out "one survives" '^not ok 2 - src/two-lines: survived: it is two-lines'
says out "one is caught since it does not end" '^ok 3 - src/endless: caught by cli/sum: # stopped after 2 s'
says out "the score" '^# src  *2 of *3 caught'
ok "the source is as before" grep -q 'exit 2' "$p/src/sum.sh"

# Broken off while the endless one is asked: all of it ends, and the next run goes on there.
rm -rf "$p/o"
start setsid env O="$p/o" TEST_SECONDS=60 "$p/scripts/mutate.sh"
within 20 pgrep -f "$p/o/mutants/tree/build/sum 2 3"
mutate
says err "one at a time" 'another is at work'
kill -TERM "-$started"
wait "$started" 2>/dev/null
ok "no test goes on when a run is broken off" within 10 sh -c '! pgrep -f "$1/o/mutants/tree/build/sum" >"$T/out"' - "$p"
mutate
says out "the next one has what came of it" '^ok 3 - src/endless: caught by cli/sum: # stopped after 2 s'
says out "and the same score" '^# src  *2 of *3 caught'

chosen=src/wrong
mutate
ok "one that is caught is all of the chosen" test "$status" = 0
says out "which is one" '^1\.\.1$'
chosen=src/none
mutate
ok "there is no such fault" test "$status" = 1
chosen=

fault wrong '+' '-' cli/never >"$p/tests/mutants/src"
mutate
says out "a test that always fails catches nothing" '^not ok 1 - src/wrong: survived'
fault syntax 'if ' 'if if ' cli/sum >"$p/tests/mutants/src"
mutate
says out "what cannot be built is not caught" '^not ok 1 - src/syntax: does not build'
{
	fault twice '"$' '$' cli/sum
	fault gone 'no such text' 'x' cli/sum
	fault untested '+' '-' cli/none
} >"$p/tests/mutants/src"
mutate --check
ok "what does not fit is an error" test "$status" = 1
says err "a text that is there twice" 'src/twice: .* more than once'
says err "a text that is gone" 'src/gone: .* no longer'
says err "a test that is gone" 'src/untested: there is no test cli/none'
mutate
says out "it is not caught" '^not ok 2 - src/gone: stale'
ok "which is an error" test "$status" = 1
