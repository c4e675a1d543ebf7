// SPDX-License-Identifier: BSD-2-Clause
/*
 * inside_bpf - a BPF program on a tracepoint, as other tracers have them, in which something
 * happens at each hit: time passes, or memory of the task is read. Until a signal.
 *
 * usage: inside_bpf ID [-s ROUNDS] [-r ADDRESS]
 *
 * ID: the number in tracefs, events/CATEGORY/NAME/id. -s: so many looks at the clock; -r: a byte
 * is read at that address of whoever hits it, with bpf_probe_read_user().
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define R(code_, dst, src, off_, imm_)                                                             \
	((struct bpf_insn){ .code = (code_),                                                       \
			    .dst_reg = (dst),                                                      \
			    .src_reg = (src),                                                      \
			    .off = (off_),                                                         \
			    .imm = (int32_t)(imm_) })

/* for (r6 = rounds; r6; r6--) bpf_ktime_get_ns(); if (address) read(fp - 8, 1, address); return 1
 */
static int load(uint32_t rounds, uint64_t address)
{
	const struct bpf_insn insns[] = {
		R(BPF_ALU64 | BPF_MOV | BPF_K, 6, 0, 0, rounds),
		R(BPF_JMP | BPF_JEQ | BPF_K, 6, 0, 3, 0),
		R(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ktime_get_ns),
		R(BPF_ALU64 | BPF_SUB | BPF_K, 6, 0, 0, 1),
		R(BPF_JMP | BPF_JA, 0, 0, -4, 0),
		R(BPF_ALU64 | BPF_MOV | BPF_X, 1, 10, 0, 0),
		R(BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, -8),
		R(BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, address ? 1 : 0),
		R(BPF_LD | BPF_IMM | BPF_DW, 3, 0, 0, address),
		R(0, 0, 0, 0, address >> 32),
		R(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -8, 0),
		R(BPF_JMP | BPF_JEQ | BPF_K, 2, 0, 1, 0),
		R(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_probe_read_user),
		R(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1),
		R(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr;

	/* An initializer is of one member: what the kernel does not know of must be 0, too. */
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACEPOINT;
	attr.insns = (unsigned long)insns;
	attr.insn_cnt = sizeof(insns) / sizeof(*insns);
	attr.license = (unsigned long)"GPL";
	strcpy(attr.prog_name, "inside_bpf");
	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

int main(int argc, char **argv)
{
	struct perf_event_attr event = {
		.size = sizeof(event),
		.type = PERF_TYPE_TRACEPOINT,
		.disabled = 1,
	};
	uint64_t address = 0;
	uint32_t rounds = 0;
	int c, prog, fd;

	while ((c = getopt(argc, argv, "s:r:")) != -1) {
		if (c == 's')
			rounds = strtoul(optarg, NULL, 0);
		else if (c == 'r')
			address = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	if (optind + 1 != argc)
		return 2;
	event.config = strtoul(argv[optind], NULL, 10);
	prog = load(rounds, address);
	fd = syscall(SYS_perf_event_open, &event, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (prog < 0 || fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog)) {
		perror("inside_bpf");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
