#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where results go: stdout, files by their ending; what fails says so and keeps the data.
. "$(dirname "$0")/../lib.sh"
need_bpf

# Where results go that could not be written.
export TMPDIR="$T"

plan 55
check 0 "table on stdout" "$PMUTRACE" profile -e cpu-clock -F 997 -o - -- "$PROG/burn" -s 0.1
says out "with the functions" 'burn_70'
says out "and the loss line" '^samples: [0-9]+ seen, [0-9]+ kept, nothing lost$'

check 0 "--json" "$PMUTRACE" profile -e cpu-clock -F 997 --json -q --duration 0.2
ok "is one JSON document" equal "$(json "$T/out" '$d->{schema}')" 1
ok "with the envelope" json "$T/out" '
	exists $d->{$_} or die "no $_\n"
		for qw(command version duration_ns events rows seen kept losses)'
check 0 "--csv" "$PMUTRACE" profile -e cpu-clock -F 997 --csv -q --duration 0.2
says out "has a header" '^comm,pid,stack,cpu-clock'
silent err "-q is quiet"
# We may be kept from the CPU at its end, but not each time.
in_time() {
	run "$PMUTRACE" profile -e cpu-clock -a -f json -o "$T/d.json" 0.3
	[ "$(json "$T/d.json" '$d->{duration_ns} > 0.8e9 || 0')" = 0 ]
}
tries away in_time
ok "a trailing number is the duration" equal "$status" 0
ok "of about that length" between 0.28e9 "$(json "$T/d.json" '$d->{duration_ns}')" 0.8e9

check 1 "a full disk is a failed run" "$PMUTRACE" profile -e cpu-clock -a -f json -o /dev/full 0.2
says err "and the reason is given" 'cannot write /dev/full: No space left on device'
# Somebody has to be busy: no stack, no bytes, and nothing that could fail.
start "$PROG/burn" -s 300
within 5 grep -q burn "/proc/$started/comm"
for format in table folded svg json jsonl csv speedscope firefox chrome html; do
	check 1 "$format: a full stdout too" \
		sh -c '"$PMUTRACE" profile -e cpu-clock -F 997 -a -f "$1" 0.1 >/dev/full' - "$format"
	says err "$format: and the reason is given" 'cannot write stdout: No space left on device'
	check 1 "$format: a closed stdout too" \
		sh -c '"$PMUTRACE" profile -e cpu-clock -F 997 -a -f "$1" 0.1 >&-' - "$format"
	says err "$format: and the reason is given" 'cannot write stdout: Bad file descriptor'
done
stop "$started"

pm -F 997 -f svg -o "$T/f.svg" --title 'a <b> & "c"' --reverse --icicle -- "$PROG/burn" -s 0.1
ok "the title is escaped" grep -q 'a &lt;b&gt; &amp; ' "$T/f.svg"
pm -F 997 -e task-clock --event task-clock -f folded -o "$T/e.folded" -- "$PROG/burn" -s 0.2
ok "--event chooses" between 120 "$(folded_sum "$T/e.folded")" 280
