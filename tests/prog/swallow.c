// SPDX-License-Identifier: BSD-2-Clause
/*
 * swallow - a BPF program on a tracepoint that keeps its hits from all perf events, as 0 at its end
 * does (perf_trace_run_bpf_submit(), kernel/events/core.c). Until a signal.
 *
 * usage: swallow ID	the number in tracefs, events/CATEGORY/NAME/id
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int load(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
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
		.config = argc == 2 ? strtoul(argv[1], NULL, 10) : 0,
		.disabled = 1,
	};
	int prog = load();
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (prog < 0 || fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog)) {
		perror("swallow");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
