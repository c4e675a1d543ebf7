#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Stacks of programs whose chains are known, built in many ways and in several languages: each sample's is
# the program's own chain, or says that it is not whole.
. "$(dirname "$0")/../lib.sh"
need_bpf

truth=$O/tests/truth
start='_start;(.*;)?(__libc_start_call_main|__libc_start_main[^;]*);'

# take PROGRAM ARGS.. - its user stacks, in $T/t.folded and $T/t.json
take() {
	program=$1
	shift
	run "$PMUTRACE" profile -q -U -F 997 --no-inline -o "$T/t.folded" -o "$T/t.json" -f table -o - -- \
		"$truth/$program" "$@"
	[ "$status" = 0 ] || { echo "# exit status $status" && show; }
}

# chain REGEX [PERCENT] - every sample in spin_truth has this chain or is told as incomplete: none is
# wrong. At least so many of a program are right (50): rules come late on a busy machine, and copies of
# stacks have an end. Children of 20 ms may have ended by then.
chain() {
	n=$(folded_sum "$T/t.folded" ';spin_truth [0-9]+$')
	right=$(folded_sum "$T/t.folded" "^[^;]*;$1;spin_truth [0-9]+\$")
	missing=$(folded_sum "$T/t.folded" ';\[callers missing];(.*;)?spin_truth [0-9]+$')
	told=$(json "$T/t.json" 'sum0 values %{$d->{incomplete}}')
	echo "$n samples of spin_truth: $right are right, $missing incomplete; $told are told"
	[ "$n" -gt 50 ] && [ $((right + missing)) = "$n" ] && [ $((right * 100)) -ge $((n * ${2:-50})) ] &&
		[ "$told" -ge "$missing" ] && return
	awk '{ print $NF, $0 }' "$T/t.folded" | sort -rn | cut -c1-200 | head -n 6
	return 1
}

# mode PROGRAM MODE REGEX [PERCENT]
mode() {
	case $1 in
	rust* | cxx) take "$1" 0.3 "$2" ;;
	*) take "$1" -s 0.3 "$2" ;;
	esac
	ok "$1: $2" chain "$3" "${4:-50}"
}

plan 67

mode pie plain "${start}main;outer;middle"
mode pie plt "${start}main;calls;(.*;)?compare"
mode pie tail "${start}main;tails;last"
if "$truth/pie" -s 0 again 2>/dev/null; then
	mode pie again "${start}main;resumes;outer;middle"
else
	skip 1 "no-context: no getcontext(3)"
fi
mode pie early "${start}main;large"
mode pie fork "${start}main;forks;outer;middle" 20
mode pie spawn "${start}main;outer;middle" 20
mode pie vfork "${start}main;outer;middle" 20
contexts=
[ "$(uname -m)" = x86_64 ] && "$truth/pie" -s 0 context 2>/dev/null && contexts=yes
for program in pie size no-plt lazy branches static static-pie; do
	[ -x "$truth/$program" ] || { skip 4 "no-static: no C library to link statically with" && continue; }
	mode "$program" sort "${start}main;sorted;(.*;)?compare"
	if [ "$contexts" ]; then
		mode "$program" context '__start_context;enters;outer;middle'
	else
		skip 1 "no-context: contexts end in code that is known on x86_64, of glibc"
	fi
	mode "$program" signal "${start}main;waits;.*;handler;last"
	mode "$program" thread '(.*;)?_*clone3?;(.*;)?thread;enters;outer;middle'
done

# Exceptions: while a cleanup runs, and in a handler.
if [ -x "$truth/cxx" ]; then
	mode cxx destructor "${start}main;catches[^;]*;passed[^;]*;Guard::~Guard\\(\\)"
	mode cxx caught "${start}main;catches[^;]*"
	mode cxx virtual "${start}main;calls;Square::area\\(\\)"
	mode cxx lambda "${start}main;sorts;.*"
else
	skip 4 "no-cxx: no C++ compiler"
fi

if [ -x "$truth/rust" ]; then
	main='main;std::rt::lang_start_internal;(.*;)?truth_rust::main;'
	for program in rust rust-abort; do
		mode "$program" plain "$start${main}outer;middle"
		mode "$program" deep "$start$main$(printf 'recurse;%.0s' $(seq 99))recurse"
		mode "$program" sort "$start${main}sorts;(.*;)?compare"
		mode "$program" thread '(.*;)?_*clone3?;.*;enters;outer;middle'
	done
	mode rust panic "$start${main}panics;(.*;)?passed;.*"
else
	skip 9 "no-rust: no compiler of Rust"
fi

# Go keeps frame pointers and has no rules: stacks end where a goroutine or a thread begins. Names are in
# Go's own table where there are no symbols.
go_ends='^[^;]*;(runtime\.(goexit|mstart|rt0_go|mcall|morestack|systemstack|asmcgocall|cgocallback)(\.abi0)?|_rt0_[a-z0-9_]*|_start|_dl_start_user|_*clone3?)[; ]'
# Where it calls C, or C calls it, it goes on on another stack, likewise.
if [ -x "$PROG/goroutines" ] && [ -x "$PROG/calls_c" ]; then
	strip -o "$T/goroutines" "$PROG/goroutines"
	strip -o "$T/calls_c" "$PROG/calls_c"
	for program in "$PROG/goroutines 50 200 2000" "$T/goroutines 50 200 2000" "$PROG/calls_c 2000" "$T/calls_c 2000"; do
		what=$(basename "${program%% *}")
		[ "${program#"$T"}" = "$program" ] || what="$what, stripped"
		what="Go, $what"
		# shellcheck disable=SC2086 # a program and its arguments
		run "$PMUTRACE" profile -q -U -F 997 -o "$T/go.folded" -o "$T/go.json" -- $program
		n=$(folded_sum "$T/go.folded")
		ok "$what: measured" between 100 "$n" 1000000
		ok "$what: of a hundred stacks 99 are whole" between 0 \
			"$(json "$T/go.json" 'sum0 values %{$d->{incomplete}}')" $((n / 100))
		ok "$what: they begin where goroutines and threads do" equal \
			"$(folded_sum "$T/go.folded" "$go_ends")" "$(folded_sum "$T/go.folded" '^[^;]*;[^\[]')"
		ok "$what: functions have names" between $((n / 2)) \
			"$(folded_sum "$T/go.folded" ';(main\.(touch|deep|asks|spins)|.*_Cfunc_spins_c)[; ]')" "$n"
	done
else
	skip 16 "no-go: no compiler of Go"
fi

# Where tables never come, for there is no room for them, frame pointers lead to an entry now and then.
run "$PMUTRACE" profile -q -U -F 997 --no-inline --unwind-mem 20k -o "$T/t.folded" -o "$T/t.json" -- \
	"$truth/pie" -s 0.3 plain
n=$(folded_sum "$T/t.folded" ';spin_truth [0-9]+$')
ok "no room for rules: measured" between 50 "$n" 1000000
ok "no room for rules: what is not right is told" equal \
	"$(folded_sum "$T/t.folded" "(^[^;]*;${start}main;outer;middle|;\\[callers missing];(.*;)?[^;]*);spin_truth [0-9]+\$")" "$n"
