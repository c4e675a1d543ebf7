#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Go, whose frame pointers lead past functions without a frame, held against those that
# elfutils finds by Go's own .debug_frame; and what Go's compiler makes of a profile: it inlines what
# takes the time, and nothing else.
. "$(dirname "$0")/../lib.sh"
need_bpf
[ -x "$PROG/hot" ] || skip_all "no-go: no compiler of Go"
plan 14

# run_hot ARG.. - of a second or two
run_hot() {
	run "$PMUTRACE" profile -v -U -e cpu-clock -F 997 "$@" -- "$hot" 200000000
}

# of mix() all samples but those of the first moments, when rules are still being read
hot=$PROG/hot
# Rules are read from its file: from memory, however slow the disk is.
cat "$hot" >/dev/null
run_hot -o "$T/hot.folded"
mixes=$(grep ';main\.mix ' "$T/hot.folded" | awk '{ n += $NF } END { print n + 0 }')
called=$(grep ';main\.main;main\.mix ' "$T/hot.folded" | awk '{ n += $NF } END { print n + 0 }')
ok "a function without a frame takes the time" between 300 "$mixes" 1000000
ok "its caller calls it" between $((mixes * 98 / 100)) "$called" "$mixes"
grep 'main\.mix ' "$T/hot.folded" | diag

# verified NAME - NAME.json: at least 400 stacks, 97 of 100 that were copied far enough are the same
verified() {
	compared=$(json "$T/$1.json" '$d->{verify_unwind}{compared} - $d->{verify_unwind}{uncopied}')
	same=$(json "$T/$1.json" '$d->{verify_unwind}{same}')
	between 400 "$compared" 1000000 && between $((compared * 97 / 100)) "$same" "$compared"
}
if "$PMUTRACE" -V | grep -q 'with --verify-unwind'; then
	run_hot --verify-unwind -o "$T/hot.json"
	ok "stacks are those of elfutils" verified hot
	ok "none is different" equal "$(json "$T/hot.json" '$d->{verify_unwind}{different}')" 0
else
	skip 2 "no-libdw: built without libdw"
fi

GO=$("$TOP/scripts/fetch-go.sh" 2>"$T/err") || {
	show
	skip 10 "no-go-1.21: no compiler of Go that takes profiles"
	exit 0
}
GOCACHE=$(cd "$O" && pwd)/go-cache-pgo
export GOCACHE GO111MODULE=off GOFLAGS='' GOTOOLCHAIN=local CGO_ENABLED=0

# compile FILE OPTION.. - what the compiler says of it is in $T/out
compile() {
	compiled=$1
	shift
	(cd "$T" && "$GO" build -gcflags=-m=2 -o "$compiled" "$@" "$TOP/tests/prog/hot.go") >"$T/out" 2>&1
}
main_calls=$(grep -n ' = mix(' "$TOP/tests/prog/hot.go" | cut -d : -f 1)

ok "without a profile" compile plain
says out "mix() is not inlined" 'cannot inline mix: function too complex'
says out "nor is seldom()" 'cannot inline seldom: function too complex'
hot=$T/plain
run_hot --pprof cpu -o "$T/cpu.pb.gz"
ok "it is measured" test "$status" = 0
expected=$(cat "$T/out" "$T/err" | grep -x '[0-9]*')
ok "with the profile" compile optimized -pgo="$T/cpu.pb.gz"
says out "mix() is inlined into who calls it all the time" "hot.go:$main_calls:[0-9]*: inlining call to mix"
says out "seldom() is not" 'cannot inline seldom: function too complex'
"$GO" tool nm "$T/optimized" >"$T/symbols"
ok "the program has no function of the one any more" equal "$(grep -c ' main\.mix$' "$T/symbols")" 0
ok "but of the other" equal "$(grep -c ' main\.seldom$' "$T/symbols")" 1
ok "and computes the same" equal "$("$T/optimized" 200000000 2>&1)" "$expected"
