// SPDX-License-Identifier: BSD-2-Clause
/*
 * kprobe_calls - fact: a BPF program on the kprobe PMU runs once for each of n calls.
 *
 * usage: kprobe_calls [-r] [-n CALLS]
 *
 * Opens a kprobe (-r: a kretprobe) at getppid(2) with perf_event_open(2), attaches a program with
 * PERF_EVENT_IOC_SET_BPF, calls getppid(2) n times and prints how often the program ran for this
 * process. No library takes part.
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "prog.h"

#if defined(__x86_64__)
#define PROBED "__x64_sys_getppid"
#else
#define PROBED "__arm64_sys_getppid"
#endif

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int make_counter(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = 4;
	attr.value_size = 8;
	attr.max_entries = 1;
	return bpf(BPF_MAP_CREATE, &attr);
}

/* if (bpf_get_current_pid_tgid() >> 32 == getpid()) counter[0]++; */
static int load_program(int counter)
{
	static char log[4096];
	const struct bpf_insn insns[] = {
		{ BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_pid_tgid },
		{ BPF_ALU64 | BPF_RSH | BPF_K, .dst_reg = 0, .imm = 32 },
		{ BPF_JMP | BPF_JNE | BPF_K, .dst_reg = 0, .off = 4, .imm = getpid() },
		{ BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_VALUE,
		  .imm = counter },
		{ .imm = 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 1 },
		{ BPF_STX | BPF_DW | 0xc0, .dst_reg = 1, .src_reg = 2 }, /* lock += */
		{ BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_KPROBE;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = sizeof(insns) / sizeof(insns[0]);
	attr.license = (uintptr_t) "Dual BSD/GPL";
	attr.log_buf = (uintptr_t)log;
	attr.log_size = sizeof(log);
	attr.log_level = 1;
	fd = bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0)
		fputs(log, stderr);
	return fd;
}

static uint64_t read_counter(int counter)
{
	uint32_t key = 0;
	uint64_t n = 0;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = counter;
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)&n;
	if (bpf(BPF_MAP_LOOKUP_ELEM, &attr))
		die("map lookup");
	return n;
}

static int open_probe(int at_return)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.config = at_return, /* format/retprobe */
		.kprobe_func = (uintptr_t)PROBED,
	};
	FILE *f = fopen("/sys/bus/event_source/devices/kprobe/type", "r");

	if (!f || fscanf(f, "%u", &attr.type) != 1)
		die("kprobe/type");
	fclose(f);
	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char **argv)
{
	int c, at_return = 0, counter, program, probe;
	unsigned calls = 1000, i;

	while ((c = getopt(argc, argv, "rn:")) != -1) {
		switch (c) {
		case 'r':
			at_return = 1;
			break;
		case 'n':
			calls = parse_number(optarg, 1, 100000000);
			break;
		default:
			return 2;
		}
	}

	counter = make_counter();
	if (counter < 0)
		die("map");
	program = load_program(counter);
	if (program < 0)
		die("program");
	probe = open_probe(at_return);
	if (probe < 0)
		die("kprobe at " PROBED);
	if (ioctl(probe, PERF_EVENT_IOC_SET_BPF, program))
		die("PERF_EVENT_IOC_SET_BPF");
	for (i = 0; i < calls; i++)
		syscall(SYS_getppid);
	printf("%llu\n", (unsigned long long)read_counter(counter));
	close(probe); /* detaches */
	for (i = 0; i < calls; i++)
		syscall(SYS_getppid);
	printf("%llu\n", (unsigned long long)read_counter(counter));
	return 0;
}
