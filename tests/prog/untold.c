// SPDX-License-Identifier: BSD-2-Clause
/*
 * untold - fact: a switch that the scheduler's program of `pmutrace func` is not told.
 *
 * usage: untold
 *
 * Calls told() ten times, which sleeps. Then untold(), once: it runs the program func_switch as for
 * a switch to the idle task, which was none, and sleeps. Whoever it belongs to sees this CPU go
 * idle, and then a task go off it that was never told to have come. Then told() ten times more.
 * Exits with 1 if there is no such program.
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "prog.h"

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static void nap(void)
{
	usleep(1000);
	keep_frame();
}

KNOWN_FRAME void told(void)
{
	nap();
}

KNOWN_FRAME void untold(int prog)
{
	uint64_t
		args[4] = {}; /* preempt, prev, next, prev_state: tasks that cannot be read are 0 */
	union bpf_attr attr = { .test.prog_fd = prog,
				.test.ctx_in = (uintptr_t)args,
				.test.ctx_size_in = sizeof(args) };

	if (bpf(BPF_PROG_TEST_RUN, &attr))
		perror("untold: BPF_PROG_TEST_RUN");
	nap();
}

/* The newest of that name. */
static int find_program(const char *name)
{
	union bpf_attr next = {};
	int found = -1;

	while (!bpf(BPF_PROG_GET_NEXT_ID, &next)) {
		union bpf_attr get = { .prog_id = next.next_id }, info = {};
		struct bpf_prog_info prog = {};
		int fd = bpf(BPF_PROG_GET_FD_BY_ID, &get);

		next.start_id = next.next_id;
		info.info.bpf_fd = fd;
		info.info.info_len = sizeof(prog);
		info.info.info = (uintptr_t)&prog;
		if (fd < 0 || bpf(BPF_OBJ_GET_INFO_BY_FD, &info) || strcmp(prog.name, name)) {
			close(fd);
			continue;
		}
		close(found);
		found = fd;
	}
	return found;
}

int main(void)
{
	int prog = find_program("func_switch");

	if (prog < 0)
		return 1;
	for (int i = 0; i < 10; i++)
		told();
	untold(prog);
	for (int i = 0; i < 10; i++)
		told();
	return 0;
}
