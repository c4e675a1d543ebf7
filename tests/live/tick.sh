#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# profile --source tick: samples are what programs of known behaviour do, at the rate that was asked for,
# without an interrupt more; what a tick cannot give is refused.
. "$(dirname "$0")/../lib.sh"
need_bpf

cpus=$(nproc)
last=$((cpus - 1))

# ticked ARGS.. - profile in the tick
ticked() {
	run "$PMUTRACE" profile --source tick "$@"
}
# all_busy - four seconds at 99 Hz, of all tasks, while each CPU has one that burns; no hypervisor has
# kept them from a CPU for a tenth of a second
all_busy() {
	for cpu in $(seq 0 "$last"); do
		start taskset -c "$cpu" "$PROG/burn" -s 100
	done
	ticked -F 99 -o "$T/n.json" 4
	for pid in $all_started; do
		stop "$pid"
	done
	[ "$stolen" -lt 10 ]
}
# interrupts - of the first CPU's own timer, up to now
interrupts() {
	awk '/^ *LOC:/ || / arch_timer$/ { n += $2 } END { print n + 0 }' /proc/interrupts
}
# timed SOURCE - the interrupts of two seconds, from when sampling began; out of step with the tick, or both
# are one interrupt
timed() {
	"$PMUTRACE" profile --source "$1" -F $((hz - 3)) 4 -o "$T/x.json" >"$T/out" 2>"$T/err" &
	pmutrace=$!
	all_started="$all_started $pmutrace"
	within 10 grep -q sampling "$T/err"
	before=$(interrupts)
	sleep 2
	n=$(($(interrupts) - before))
	wait "$pmutrace"
	forget "$pmutrace"
}
# refused NAME REGEX ARGS..
refused() {
	name=$1 regex=$2
	shift 2
	check 2 "refused: $name" "$PMUTRACE" profile "$@" 1
	says err "$name: says what to do" "$regex"
	silent out "$name: nothing on stdout"
}

# Who samples is told.
ticked -o "$T/t.json" -- true
if [ "$status" = 1 ] && grep -q "per-CPU variables .*--source cpu-clock" "$T/err"; then
	skip_all "no-percpu: this kernel does not tell where its per-CPU variables are"
fi
plan 66
hz=$(sed -n 's/.*tick, which comes \([0-9]*\) times a second.*/\1/p' "$T/err")
ok "the tick's rate is told" test "${hz:-0}" -ge 24
says err "and what it does not see" 'in step with it'
ok "JSON tells the source" equal "$(json "$T/t.json" '$d->{events}[0]{source}')" tick
run "$PMUTRACE" profile -e cpu-clock -o "$T/t.json" -- true
ok "of samples by events it does not" equal "$(json "$T/t.json" '$d->{events}[0]{source}')" null
ok "nor is there a notice" test -z "$(grep tick "$T/err")"

# Shares and rates.
ticked -F "$hz" --strict -o "$T/p.folded" -o "$T/p.json" -o "$T/p.pmut" -o "$T/p.pb.gz" -o "$T/p.txt" \
	-- nice -n -20 "$PROG/burn" -s 2
ok "measured, nothing lost" test "$status" = 0
all=$(folded_sum "$T/p.folded" '^burn;')
ok "30 % in burn_30" is_share "$(folded_sum "$T/p.folded" ';burn_30[; ]')" "$all" 30
ok "70 % in burn_70" is_share "$(folded_sum "$T/p.folded" ';burn_70[; ]')" "$all" 70
ok "all but the start-up below main and work" \
	between $((all * 97 / 100)) "$(folded_sum "$T/p.folded" ';main;work;burn_[37]0[; ]')" "$all"
ok "as many samples as CPU time" is_time "$all" 2 "$hz"
ok "each stands for a tick" equal "$(json "$T/p.json" '$d->{events}[0]{raw}')" \
	"$(json "$T/p.json" "\$d->{kept} * int(1e9 / $hz)")"
ok "seen are kept" equal "$(json "$T/p.json" '$d->{seen} - $d->{kept}')" 0
ok "CPUs were measured for the whole run" between 95 \
	"$(json "$T/p.json" "int(100 * \$d->{events}[0]{enabled_ns} / \$d->{duration_ns} / $cpus)")" 105
ok "the table tells the source" grep -q '^cpu-clock: .*, in the tick' "$T/p.txt"
run "$PMUTRACE" report -o "$T/r.json" "$T/p.pmut"
ok "a capture keeps it" equal "$(json "$T/r.json" '$d->{events}[0]{source}')" tick
ok "pprof tells it" sh -c "gzip -dc '$T/p.pb.gz' | grep -q -a 'cpu-clock (.* samples in the tick'"

if command -v taskset >/dev/null; then
	tries stolen all_busy
	ok "99 Hz: as many samples as busy CPUs have time, to 2 %" between 980 \
		"$(json "$T/n.json" "int(1000 * \$d->{seen} / (\$d->{duration_ns} * 99e-9 * $cpus))")" 1020
else
	skip 1 "no-taskset: needs util-linux"
fi

# Interrupts: as many as before, in place of one more for each sample, on CPUs that idle and others.
clock=0 tick=0
for _ in 1 2; do
	timed cpu-clock
	clock=$((clock + n))
	timed tick
	tick=$((tick + n))
done
echo "# interrupts of a CPU's timer in 4 s: cpu-clock $clock, tick $tick; samples: $(((hz - 3) * 4))"
ok "no interrupts of its own" between $((tick + hz * 2)) "$clock" $((tick + hz * 40))

# The kernel's part of a stack, and the user's below it.
ticked -F "$hz" -f folded -o "$T/k.folded" -- \
	perl -e 'open F, "<", "/dev/zero" or die; sysread F, $b, 1 << 20 while (times)[0] + (times)[1] < 1'
all=$(folded_sum "$T/k.folded" '^perl;')
kernel=$(folded_sum "$T/k.folded" '^perl;.*vfs_read_\[k\]')
ok "a program that reads zeros is in the kernel" between $((all / 2)) "$kernel" "$all"
ok "innermost is what vfs_read calls" \
	between 0 "$(folded_sum "$T/k.folded" '^perl;.*vfs_read_\[k\] [0-9]*$')" $((kernel / 10))
ok "below its own main" \
	equal "$(folded_sum "$T/k.folded" '^perl;.*;main;.*vfs_read_\[k\]')" "$kernel"
ok "no stack has frames of the sampler" \
	equal "$(folded_sum "$T/k.folded" 'sample_tick|bpf_trace_run|hrtimer_interrupt')" 0
ok "no kernel stack is without its frames" \
	equal "$(folded_sum "$T/k.folded" 'kernel stack')" 0
ticked -e cpu-clock:u -F "$hz" -f folded -o "$T/u.folded" -- \
	perl -e 'open F, "<", "/dev/zero" or die; sysread F, $b, 1 << 16 while (times)[0] + (times)[1] < 0.5'
ok "cpu-clock:u has nothing of the kernel" equal "$(folded_sum "$T/u.folded" '\[k\]')" 0
ticked -e cpu-clock:k -F "$hz" -f folded -o "$T/o.folded" -o "$T/o.json" -- "$PROG/burn" -s 0.5
ok "cpu-clock:k has nothing of a loop" equal \
	"$(grep -v '\[k\]' "$T/o.folded" | folded_sum /dev/stdin '^burn;.*work')" 0
ok "what is not wanted is not seen" equal \
	"$(json "$T/o.json" '$d->{seen}')" "$(folded_sum "$T/o.folded")"

# Frame pointers find the same as rules do, elfutils too.
ticked -F "$hz" --call-graph fp -f folded -o "$T/f.folded" -- "$PROG/burn" -s 0.5
ok "by frame pointers" between 1 "$(folded_sum "$T/f.folded" ';main;work;burn_70[; ]')" "$hz"
ticked -F "$hz" --verify-unwind -o "$T/v.json" -- "$PROG/burn" -s 1
if grep -q 'built without libdw' "$T/err"; then
	skip 2 "no-libdw: nothing to hold them against"
else
	ok "rules: as elfutils has them" equal "$(json "$T/v.json" '$d->{verify_unwind}{different}')" 0
	ok "rules: some were looked at" between 10 "$(json "$T/v.json" '$d->{verify_unwind}{same}')" 100000
fi

# Targets. A tick comes to all CPUs and tasks.
start beneath "$PROG/burn" -s 100
loop=$started
ticked -p "$loop" -F "$hz" -o "$T/x.json" 0.5
ok "-p: that process alone" equal \
	"$(json "$T/x.json" "join ',', keys %{{ map { \$_->{key}{pid} => 1 } @{\$d->{rows}} }}")" "$loop"
ticked -t "$loop" -F "$hz" -o "$T/x.json" 0.5
ok "-t: that thread alone" between 1 "$(json "$T/x.json" '$d->{kept}')" "$hz"
ticked --comm 'bur?' -F "$hz" --by comm -o "$T/x.json" 0.5
ok "--comm: tasks of that name" equal \
	"$(json "$T/x.json" "join ',', keys %{{ map { \$_->{key}{comm} => 1 } @{\$d->{rows}} }}")" burn
ticked --comm 'nobody' -F "$hz" -o "$T/x.json" 0.3
ok "--comm: none of others" equal "$(json "$T/x.json" '$d->{seen}')" 0
ticked -C "$last" -F "$hz" --by cpu -o "$T/x.json" -- "$PROG/burn" -s 0.5 -t 4
ok "-C: that CPU alone" equal \
	"$(json "$T/x.json" "join ',', keys %{{ map { \$_->{key}{cpu} => 1 } @{\$d->{rows}} }}")" "$last"
ticked -u 54321 -F "$hz" -o "$T/x.json" 0.3
ok "-u: none of others" equal "$(json "$T/x.json" '$d->{seen}')" 0
ticked -F "$hz" --within "$PROG/burn:burn_30" -f folded -o "$T/x.folded" -- "$PROG/burn" -s 1
grep -v ';burn_30[; ]\|\[k\]' "$T/x.folded" | diag
ok "--within: that function alone" equal "$(folded_sum "$T/x.folded")" \
	"$(folded_sum "$T/x.folded" ';burn_30[; ]|\[k\]')"
stop "$loop"

# By time: what windows have is what the run has.
ticked -F "$hz" --windows 100ms -o "$T/w.pmut" -o "$T/w.json" -- "$PROG/burn" -s 0.5
run "$PMUTRACE" report -o "$T/r.json" "$T/w.pmut"
ok "windows: nothing is lost between them" equal \
	"$(json "$T/r.json" '$d->{kept}')" "$(json "$T/w.json" '$d->{kept}')"

# A program of another tracer, in which a process is most of its time, is sampled as all else.
tracefs=$(sed -n 's/^[^ ]* \([^ ]*\) tracefs .*/\1/p' /proc/mounts | head -n 1)
getppid=$(cat "$tracefs/events/syscalls/sys_enter_getppid/id" 2>/dev/null)
if [ -n "$getppid" ]; then
	start "$PROG/inside_bpf" -s 100 "$getppid"
	tracer=$started
	within 5 grep -q ready "$T/started.out" || exit 1 # the tracer is not there
	ticked -q -F "$hz" -o "$T/c.json" -o "$T/c.folded" -- \
		perl -e 'system @ARGV; my @s = times; print $s[0] + $s[1] + $s[2] + $s[3], "\n"' \
		"$PROG/exact" -g 300000
	stop "$tracer"
	kept=$(folded_sum "$T/c.folded")
	ok "another tracer: samples are as much as the CPU time" \
		is_time "$kept" "$(tail -n 1 "$T/out")" "$hz"
	ok "another tracer: most of them are in its program" \
		between $((kept / 2)) "$(folded_sum "$T/c.folded" 'bpf_prog_[0-9a-f]*_inside_bpf')" "$kept"
else
	skip 2 "no-tracefs: needs the tracepoints of system calls"
fi

refused "an unknown source" "tick cpu-clock" --source tock
refused "another event" "cycles.*leave out --source" --source tick -e cycles
refused "another event beside it" "page-faults" --source tick -e cpu-clock,page-faults
refused "a group" "page-faults" --source tick -e '{cpu-clock,page-faults}'
refused "a period" "--source cpu-clock" --source tick -c 1000000
refused "an event's own period" "--source cpu-clock" --source tick -e cpu-clock@100000
refused "more than there are ticks" "$hz times a second.*--source cpu-clock" --source tick -F $((hz + 1))
refused "idle CPUs" "--source cpu-clock" --source tick --idle
refused "cpu-clock: another event" "cycles" --source cpu-clock -e cycles
