#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The kernel does not run the program of a perf event while one of another tracer runs on that CPU.
# Of clock events these samples are there all the same; of others their number is told.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 15
tracefs=$(sed -n 's/^[^ ]* \([^ ]*\) tracefs .*/\1/p' /proc/mounts | head -n 1)
getppid=$(cat "$tracefs/events/syscalls/sys_enter_getppid/id" 2>/dev/null)
[ -n "$getppid" ] || skip_all "no-tracefs: needs the tracepoints of system calls"

# Another tracer's program, in which a process is most of its time: its samples are its CPU time.
start "$PROG/inside_bpf" -s 100 "$getppid"
tracer=$started
within 5 grep -q ready "$T/started.out" || exit 1 # the tracer is not there
pm -q -F 997 -o "$T/c.json" -o "$T/c.folded" -- \
	perl -e 'system @ARGV; my @s = times; print $s[0] + $s[1] + $s[2] + $s[3], "\n"' \
	"$PROG/exact" -g 300000
stop "$tracer"
ok "clock: samples are as much as the CPU time" \
	is_time "$(json "$T/c.json" '$d->{kept}')" "$(tail -n 1 "$T/out")"
kept=$(folded_sum "$T/c.folded")
ok "clock: most of them are in the other program" \
	between $((kept / 2)) "$(folded_sum "$T/c.folded" 'bpf_prog_[0-9a-f]*_inside_bpf')" "$kept"
inside=$(folded_sum "$T/c.folded" 'bpf_prog_[0-9a-f]*_inside_bpf')
ok "clock: below the system call that it is attached to" between $((inside * 9 / 10)) \
	"$(folded_sum "$T/c.folded" '(do_syscall_64|el0_svc|getppid).*bpf_prog_[0-9a-f]*_inside_bpf')" \
	"$inside"
# A fork runs the program that follows processes, and is in it for a moment.
sampler='sample_rescue|bpf_trace_run|hrtimer_interrupt'
sed 's/__traceiter_sched_process_fork[^;]*;bpf_trace_run[^; ]*//' "$T/c.folded" | grep -E "$sampler" >"$T/own"
ok "clock: none of them has frames of the sampler" equal "$(folded_sum "$T/own" "$sampler")" 0
sed 's/^/# /' "$T/own"
ok "clock: nothing is lost" equal "$(json "$T/c.json" 'sum0 values %{$d->{losses}}')" 0

# Only user mode: nothing of it is passed over, and nothing of the kernel is taken for it.
start "$PROG/inside_bpf" -s 100 "$getppid"
tracer=$started
within 5 grep -q ready "$T/started.out" || exit 1 # the tracer is not there
run "$PMUTRACE" profile -q -e cpu-clock:u -F 997 -o "$T/u.json" -o "$T/u.folded" -- \
	"$PROG/exact" -g 100000
stop "$tracer"
ok "user mode: no sample is in the kernel" equal "$(folded_sum "$T/u.folded" '\[k\]')" 0

# What the kernel reads for a program is a hit of a breakpoint on x86_64 alone: arm64 has loads of
# their own for that. tests/live/pmu.sh counts instructions there.
if [ "$(uname -m)" != x86_64 ]; then
	skip 8 "arm64: the kernel's reads of user memory hit no breakpoint"
elif ! has_breakpoints; then
	skip 8 "$no_breakpoints"
else
	# A breakpoint on a byte that the other program reads, once in each of 300 system calls; the process
	# itself stores 70 times.
	mkfifo "$T/go"
	start sh -c "exec '$PROG/exact' -w -g 300 -m 70 <'$T/go'"
	exact=$started
	exec 9>"$T/go"
	within 5 grep -q 0x "$T/started.out"
	address=$(cat "$T/started.out")
	"$PROG/inside_bpf" -r "$address" "$getppid" >"$T/ready" &
	tracer=$!
	all_started="$all_started $tracer"
	within 5 grep -q ready "$T/ready" || exit 1 # the tracer is not there
	"$PMUTRACE" profile -e "mem:$address/8:rw" -c 1 -p "$exact" --strict -o "$T/b.json" \
		-o "$T/b.folded" -o "$T/b.svg" -o - >"$T/out" 2>"$T/err" &
	pmutrace=$!
	all_started="$all_started $pmutrace"
	within 10 grep -q sampling "$T/err"
	echo >&9
	status=0
	wait "$pmutrace" || status=$?
	stop "$tracer"
	ok "breakpoint: the process' own hits are kept" equal "$(json "$T/b.json" '$d->{kept}')" 70
	ok "breakpoint: the others are lost by their reason" equal \
		"$(json "$T/b.json" '$d->{losses}{passed_over}')" 300
	ok "breakpoint: so many are in no sample" equal \
		"$(json "$T/b.json" '$d->{events}[0]{passed_over}')" 300
	ok "breakpoint: seen is their sum" equal "$(json "$T/b.json" '$d->{seen}')" 370
	ok "breakpoint: --strict makes it exit status 3" equal "$status" 3
	says out "breakpoint: the table tells how many hits" ', 300 in no sample'
	says out "breakpoint: and what became of them" '300 lost: 300 missed by the kernel'
	ok "breakpoint: so does the flame graph" grep -q '300 of 370 .*missed by the kernel' "$T/b.svg"
fi

# Nothing beside: nothing is missing.
pm -q -F 997 --strict -f json -o "$T/n.json" -- "$PROG/burn" 0.5
ok "without another tracer nothing is lost" equal \
	"$status:$(json "$T/n.json" 'sum0 values %{$d->{losses}}')" 0:0
