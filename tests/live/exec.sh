#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Processes that are gone within 100 ms are named all the same; --no-inherit leaves them out.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 13
ln "$PROG/exec_child" "$T/shortlived" 2>/dev/null || cp "$PROG/exec_child" "$T/shortlived"
pm -F 997 -o "$T/p.folded" -o "$T/p.json" -- "$PROG/exec_child" -n 12 -x "$T/shortlived"
ok "measured" test "$status" = 0
all=$(folded_sum "$T/p.folded" '^shortlived;')
ok "12 times 40 ms in child_work" is_time \
	"$(folded_sum "$T/p.folded" '^shortlived;.*main;child_work[; ]')" 0.48
ok "nothing of it unknown" between 0 "$(folded_sum "$T/p.folded" 'unknown')" $((all / 50))
ok "12 processes" between 12 "$(json "$T/p.json" '
	my %p = map { $_->{key}{pid} => 1 } grep { $_->{key}{comm} eq "shortlived" } @{$d->{rows}};
	scalar keys %p')" 12

start beneath "$PROG/exec_child" -n 400 -x "$T/shortlived"
pm -F 997 -f folded -o "$T/i.folded" -p "$started" --duration 1
ok "-p follows children" between 20 "$(folded_sum "$T/i.folded" child_work)" 100000
# A slow machine looks names up for longer than that one lives.
stop "$started"
start beneath "$PROG/exec_child" -n 400 -x "$T/shortlived"
pm -F 997 -f folded -o "$T/n.folded" -p "$started" --no-inherit --duration 1
ok "--no-inherit measured" test "$status" = 0
ok "--no-inherit leaves them out" equal "$(folded_sum "$T/n.folded" child_work)" 0
stop "$started"
start beneath "$PROG/exec_child" -n 400 -x "$T/shortlived"
pm -F 997 -f folded -o "$T/a.folded" -a --duration 1
ok "-a sees them" between 20 "$(folded_sum "$T/a.folded" '^shortlived;.*;child_work')" 100000
stop "$started"

# Born on one CPU, gone on to another to exec there, and all of it while pmutrace could not run: in
# what order the CPUs' records are read must not matter.
if [ "$(nproc)" -gt 1 ]; then
	printf '#!/bin/sh\nexec taskset -c 0 "%s/shortlived" --child\n' "$T" >"$T/hop"
	chmod 755 "$T/hop"
	"$PMUTRACE" profile -q -e cpu-clock -F 997 -o "$T/h.folded" \
		-- taskset -c 1 "$PROG/exec_child" -n 12 -x "$T/hop" >"$T/out" 2>"$T/err" </dev/null &
	pmu=$!
	all_started="$all_started $pmu"
	sleep 0.3
	kill -STOP "$pmu"
	sleep 1.2
	kill -CONT "$pmu"
	wait "$pmu"
	ok "records of several CPUs: measured" equal $? 0
	all=$(folded_sum "$T/h.folded" '^shortlived;')
	ok "records of several CPUs: put in order" between 0 \
		"$(folded_sum "$T/h.folded" '^shortlived;.*(unknown|shortlived( fn |\+)0x)')" $((all / 20))
else
	skip 2 "one-cpu: needs two"
fi

# Much of such a process is the exec itself: registers are the old program's, whose stack is gone.
# Some are gone before a slow machine has looked at them.
pm -F 9973 -f folded -o "$T/e.folded" -- sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done'
all=$(folded_sum "$T/e.folded" '^true;')
ok "execs are seen" between 20 "$(folded_sum "$T/e.folded" '^true;.*execve')" 1000000
ok "and what called them has a name" between 0 "$(folded_sum "$T/e.folded" '^true;.*\[unknown\]')" $((all / 100 + 1))
ok "its stack is gone, and no caller is missing" equal "$(folded_sum "$T/e.folded" '^true;(.*;)?execve[; ]')" 0
