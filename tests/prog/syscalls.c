// SPDX-License-Identifier: BSD-2-Clause
/*
 * syscalls - fact: nearly all its CPU time is in the kernel, in read(2), called by syscall_work.
 *
 * usage: syscalls [-s SECONDS]
 *
 * SECONDS (default 1) is CPU time. Reads /dev/zero so much at a time, up to 4 MiB, that it takes a
 * millisecond: entering and leaving the kernel, which on some machines takes as long as copying a
 * mebibyte, is little beside that, and on an emulated one a step is not too long.
 */
#include <fcntl.h>

#include "prog.h"

enum { BLOCK = 4 << 20 };

KNOWN_FRAME void syscall_work(int fd, char *block, uint64_t ns)
{
	uint64_t last = thread_cpu_ns(), done = 0, step;
	long len = BLOCK / 64;

	while (done < ns) {
		syscall_in_place(SYS_read, fd, (long)block, len);
		step = step_ns(&last);
		done += step;
		if (step < NS_PER_MS / 2 && len < BLOCK)
			len *= 2;
	}
}

int main(int argc, char **argv)
{
	static char block[BLOCK];
	uint64_t seconds_ns = NS_PER_SEC;
	int c, fd;

	while ((c = getopt(argc, argv, "s:")) != -1) {
		if (c != 's')
			return 2;
		seconds_ns = parse_seconds(optarg);
	}

	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("/dev/zero");
	syscall_work(fd, block, seconds_ns);
	close(fd);
	return 0;
}
