#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# profile --source tick: kernel stacks that were followed by the kernel's own unwind rules are those that
# the kernel's own walk has, in the very same samples; what rules do not cover is left to that walk.
. "$(dirname "$0")/../lib.sh"
need_bpf

# verified ARGS.. - profile of kernel stacks, both ways
verified() {
	rm -f "$T/v.json"
	run "$PMUTRACE" profile --source tick -F "$hz" --verify-unwind -K -o "$T/v.json" -o "$T/v.folded" "$@"
	grep 'unwinding:' "$T/err" | sed 's/^/# /'
}
# of KEY - stacks
of() {
	json "$T/v.json" "\$d->{verify_unwind}{kernel}{$1}"
}
# some NAME LEAST - so many are the same, none is another
some() {
	ok "$1: none is another" equal "$(of different)" 0
	ok "$1: as the kernel has them" between "$2" "$(of same)" 1000000
}
# left NAME LEAST - so many were left to the kernel, and none is another
left() {
	ok "$1: none is another" equal "$(of different)" 0
	ok "$1: some are left to the kernel" between "$2" "$(of not_followed)" 1000000
}
# perl -e "$zeros" SECONDS - of CPU time in read(2)
# shellcheck disable=SC2016 # variables of Perl
zeros='open F, "<", "/dev/zero" or die; sysread F, $b, 1 << 20 while (times)[0] + (times)[1] < $ARGV[0]'

end_probe() {
	echo 0 >"$tracefs/events/pmt_$$/read/enable"
	echo "-:pmt_$$/read" >>"$tracefs/kprobe_events"
}
end_graph() {
	echo nop >"$tracefs/current_tracer"
	echo >"$tracefs/set_graph_function"
	echo 0 >"$tracefs/max_graph_depth"
}

run "$PMUTRACE" profile --source tick -o "$T/t.json" -- true
if [ "$status" = 1 ] && grep -q "per-CPU variables .*--source cpu-clock" "$T/err"; then
	skip_all "no-percpu: this kernel does not tell where its per-CPU variables are"
fi
hz=$(sed -n 's/.*tick, which comes \([0-9]*\) times a second.*/\1/p' "$T/err")
case $(uname -m) in
x86_64) ;;
*) # no such rules
	plan 2
	check 1 "nothing to verify" "$PMUTRACE" profile --source tick --verify-unwind -K 0.1
	says err "which is told" 'verify-unwind.*this kernel has no unwind rules'
	exit
	;;
esac
plan 21

# Of many kinds: calls of the system, page faults, pipes, the network, whose packets are taken in an
# interrupt's second half, on a stack of its own.
start perl -e "$zeros" 1
start perl -e 'for (;;) { my $x = "x" x (8 << 20); }'
start sh -c 'while :; do head -c 10000000 /dev/zero | cat >/dev/null; done'
start perl -MSocket -e '
	socket my $to, PF_INET, SOCK_DGRAM, 0 or die;
	bind $to, sockaddr_in 0, INADDR_LOOPBACK or die;
	socket my $from, PF_INET, SOCK_DGRAM, 0 or die;
	for (;;) { send $from, "x" x 1000, 0, getsockname $to; recv $to, my $b, 2000, 0 }'
verified -a 4
for pid in $all_started; do
	stop "$pid"
done
some "many kinds" 100
ok "most are followed" between 0 "$(of not_followed)" $(($(of same) / 2))
ok "packets, on the stack of interrupts" between 1 "$(folded_sum "$T/v.folded" 'udp_.*rcv|net_rx_action')" 1000000
says err "told" 'unwinding: [0-9]* of [0-9]* kernel stacks \(100.0 %\) are as the kernel.s own walk has them, 0 different'

# Deeper than wanted: both are cut at the same end.
verified --max-stack 3 -- perl -e "$zeros" 0.5
some "cut" 10
ok "which is told" between 10 "$(json "$T/v.json" '$d->{incomplete}{kernel_truncated}')" 1000000

run "$PMUTRACE" profile --source tick -F "$hz" -K --max-stack 3 -o "$T/v.json" -- \
	perl -e "$zeros" 0.5
ok "without the kernel's walk, too" between 10 "$(json "$T/v.json" '$d->{incomplete}{kernel_truncated}')" 1000000

# Where user stacks are verified, too, both are told.
run "$PMUTRACE" profile --source tick -F "$hz" --verify-unwind -o "$T/v.json" -- \
	perl -e "$zeros" 0.5
if grep -q 'without libdw\|no libdw' "$T/err"; then
	skip 3 "no-libdw: nothing to hold user stacks against"
else
	some "beside user stacks" 10
	ok "user stacks, too" between 1 "$(json "$T/v.json" '$d->{verify_unwind}{compared}')" 1000000
fi

# Another tracer's program, which is in no rules.
tracefs=$(sed -n 's/^[^ ]* \([^ ]*\) tracefs .*/\1/p' /proc/mounts | head -n 1)
getppid=$(cat "$tracefs/events/syscalls/sys_enter_getppid/id" 2>/dev/null)
if [ -n "$getppid" ]; then
	start "$PROG/inside_bpf" -s 100 "$getppid"
	tracer=$started
	within 5 grep -q ready "$T/started.out" || exit 1 # the tracer is not there
	verified -- "$PROG/exact" -g 300000
	stop "$tracer"
	left "a program made at run time" 5
	ok "it is seen" between 5 "$(folded_sum "$T/v.folded" 'bpf_prog_[0-9a-f]*_inside_bpf')" 1000000
else
	skip 3 "no-tracefs: needs the tracepoints of system calls"
fi

# Functions whose return address another tracer has replaced.
if [ -w "$tracefs/kprobe_events" ] && [ -e /sys/bus/event_source/devices/kprobe ]; then
	trap 'end_probe; end_test' EXIT
	echo "r:pmt_$$/read vfs_read" >>"$tracefs/kprobe_events"
	echo 1 >"$tracefs/events/pmt_$$/read/enable"
	verified -- perl -e "$zeros" 1
	end_probe
	trap end_test EXIT
	left "a return probe" 10
	# The walk of Linux 5.10 ends at the trampoline.
	ok "callers are there all the same" between 10 "$(folded_sum "$T/v.folded" ';(do_syscall_64|kretprobe_trampoline)_\[k\];.*vfs_read_\[k\]')" 1000000
else
	skip 3 "no-kprobes: kernel without kprobes"
fi
# Where nobody else traces: there is one such tracer for all.
if grep -q function_graph "$tracefs/available_tracers" 2>/dev/null && [ "$(cat "$tracefs/current_tracer")" = nop ]; then
	trap 'end_graph; end_test' EXIT
	echo vfs_read >"$tracefs/set_graph_function"
	echo 1 >"$tracefs/max_graph_depth"
	echo function_graph >"$tracefs/current_tracer"
	verified -- perl -e "$zeros" 1
	end_graph
	trap end_test EXIT
	left "a function graph" 10
	ok "callers are there, too" between 10 "$(folded_sum "$T/v.folded" ';do_syscall_64_\[k\];.*vfs_read_\[k\]')" 1000000
else
	skip 3 "no-graph: no tracer of function graphs"
fi
