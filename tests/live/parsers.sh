#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where libelf crashes at every file, readers in the jail do, and nobody else: the process that
# measures looks into no file itself.
. "$(dirname "$0")/../lib.sh"
need_bpf

crashing() {
	LD_PRELOAD=$PROG/libparsers.so ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 "$@"
}
names() {
	json "$T/out" "join ' ', map { \"\$_->{state}: \$_->{found}\" } grep { \$_->{key}{name} eq '$1' } @{\$d->{rows}}"
}

plan 17
check 0 "doctor ends as it does elsewhere" crashing "$PMUTRACE" doctor --json
ok "it tells the file whose reader crashed" sh -c "echo '$(names frame-pointers)' |
	grep -E '^unknown: cannot read /[^ ]*: its reader crashed \(Aborted\) \(in [0-9]+ process'"
run "$PMUTRACE" doctor --json
ok "which reads well without that" sh -c "echo '$(names frame-pointers)' | grep -v unknown"

for graph in eh fp; do
	check 0 "profile by $graph goes on" crashing "$PMUTRACE" profile -e cpu-clock -F 499 --call-graph $graph \
		-f folded -o "$T/p.folded" -- "$PROG/burn" -s 0.5
	says err "and tells of names" 'burn: no names of its code: its reader crashed \(Aborted\)'
	ok "it has its samples" between 100 "$(folded_sum "$T/p.folded" '^burn;')" 400
	ok "without names of that file" equal "$(folded_sum "$T/p.folded" ';burn_70')" 0
done
# Its tables are made when it has been seen, and rules are used from then on.
start "$PROG/burn" -s 60
burn=$started
check 0 "of a program that runs on, too" crashing "$PMUTRACE" profile -p "$burn" -e cpu-clock -F 499 \
	--call-graph eh -f folded -o "$T/p.folded" --duration 2
says err "its rules cannot be read either" 'burn: no unwind table: its reader crashed \(Aborted\)'
check 0 "top goes on" crashing "$PMUTRACE" top -b --by function -p "$burn" -d 1 -n 2
check 1 "a probe is refused" crashing "$PMUTRACE" count "uprobe:$PROG/burn:main" --duration 0.1
says err "with the reason" "cannot read $PROG/burn: its reader crashed \(Aborted\)"
check 1 "func is, too" crashing "$PMUTRACE" func "$PROG/burn:main" --duration 0.1
