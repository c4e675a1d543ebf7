// SPDX-License-Identifier: BSD-2-Clause
/*
 * missed - fact: hits of signal:signal_generate that no program on a perf event can see, and some
 * that all can.
 *
 * usage: missed ID HIDDEN SEEN	ID: the number in tracefs, events/syscalls/sys_enter_getppid/id
 *
 * Its own program on getppid(2) sends this process SIGURG, which is ignored, HIDDEN times: the
 * kernel runs no second program of that kind on a CPU then (bpf_prog_active in trace_call_bpf(),
 * kernel/trace/bpf_trace.c). SEEN signals are sent by kill(2).
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "prog.h"

static int load(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_pid_tgid },
		{ .code = BPF_ALU64 | BPF_RSH | BPF_K, .dst_reg = BPF_REG_0, .imm = 32 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .off = 2, .imm = getpid() },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = SIGURG },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_send_signal },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACEPOINT,
		.insns = (unsigned long)insns,
		.insn_cnt = sizeof(insns) / sizeof(*insns),
		.license = (unsigned long)"GPL",
	};

	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = argc == 4 ? strtoul(argv[1], NULL, 10) : 0,
		.disabled = 1,
	};
	int prog = load();
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (prog < 0 || fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog))
		die("missed");
	for (long n = strtol(argv[2], NULL, 10); n > 0; n--)
		syscall(SYS_getppid);
	for (long n = strtol(argv[3], NULL, 10); n > 0; n--)
		kill(getpid(), SIGURG);
	return 0;
}
