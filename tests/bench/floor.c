// SPDX-License-Identifier: BSD-2-Clause
/*
 * floor - runs a program of floor.bpf.c until SIGINT: on every CPU's cpu-clock, or, of a raw
 * tracepoint, whenever that is hit.
 *
 * usage: floor OBJECT PROGRAM [HZ]
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int sample_cpu(int cpu, int hz, int prog_fd)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = hz,
		.disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd))
		return -1;
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* Returns the number of places where the program is attached. */
static int attach(struct bpf_program *prog, int cpus, int hz)
{
	int nr = 0;

	if (bpf_program__type(prog) == BPF_PROG_TYPE_RAW_TRACEPOINT)
		return bpf_program__attach(prog) != NULL;
	for (int cpu = 0; cpu < cpus; cpu++)
		nr += !sample_cpu(cpu, hz, bpf_program__fd(prog));
	return nr;
}

int main(int argc, char **argv)
{
	int cpus = libbpf_num_possible_cpus();
	struct bpf_program *prog;
	struct bpf_object *obj;

	if (argc < 3 || argc > 4 || cpus < 1)
		return 2;
	obj = bpf_object__open_file(argv[1], NULL);
	if (!obj) {
		perror(argv[1]);
		return 1;
	}
	bpf_object__for_each_program (prog, obj)
		bpf_program__set_autoload(prog, !strcmp(bpf_program__name(prog), argv[2]));
	prog = bpf_object__find_program_by_name(obj, argv[2]);
	bpf_map__set_max_entries(bpf_object__find_map_by_name(obj, "tables"), cpus);
	if (!prog || bpf_object__load(obj)) {
		fprintf(stderr, "floor: cannot load %s\n", argv[2]);
		return 1;
	}
	if (!attach(prog, cpus, argc > 3 ? atoi(argv[3]) : 99)) {
		fprintf(stderr, "floor: %s cannot be attached\n", argv[2]);
		return 1;
	}
	/* Shells have it ignored in the background. It ends this, and the descriptors with it. */
	signal(SIGINT, SIG_DFL);
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
