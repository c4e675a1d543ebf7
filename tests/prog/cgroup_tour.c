// SPDX-License-Identifier: BSD-2-Clause
/*
 * cgroup_tour - fact: in each of N cgroups a process of its own touches PAGES pages for the first
 * time, and ends.
 *
 * usage: cgroup_tour DIRECTORY N [PAGES [MICROSECONDS]]
 *
 * They are those of containers, DIRECTORY/docker-ID.scope, whose ids begin with 1 to N; it makes
 * them where they are not, and without PAGES does no more. The processes are born in their cgroup
 * (Linux 5.7), one after the other, MICROSECONDS apart, on this one's memory, so that they have no
 * other page faults than these.
 */
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "prog.h"

enum { STACK_BYTES = 64 << 10 };

static char *pages;
static size_t nr_pages, page_bytes;

IN_PLACE void touch_all(void)
{
	for (size_t i = 0; i < nr_pages; i++)
		*(volatile char *)(pages + i * page_bytes) = 1;
}

/*
 * A child on our memory and stack, as of vfork(2): we stand still until it has ended, and it calls
 * nothing, so that what is below on the stack stays as it is.
 */
KNOWN_FRAME void visit(int cgroup)
{
	struct clone_args args = {
		.flags = CLONE_VM | CLONE_VFORK | CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = cgroup,
	};
	long pid = syscall_in_place(SYS_clone3, (long)&args, sizeof(args), 0);
	int status;

	if (!pid) {
		touch_all();
		syscall_in_place(SYS_exit_group, 0, 0, 0);
	}
	if (pid < 0) {
		errno = -pid;
		die("clone3");
	}
	if (waitpid(pid, &status, 0) != pid || status)
		die("waitpid");
	if (madvise(pages, nr_pages * page_bytes, MADV_DONTNEED))
		die("madvise");
}

static int open_cgroup(int dir, unsigned i)
{
	char name[128];
	int fd;

	snprintf(name, sizeof(name), "docker-%08x%056x.scope", i, 0);
	if (mkdirat(dir, name, 0755) && errno != EEXIST)
		die(name);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		die(name);
	return fd;
}

int main(int argc, char **argv)
{
	unsigned nr, pause_us;
	int dir;

	if (argc < 3 || argc > 5)
		return 2;
	nr = parse_number(argv[2], 1, 1000000);
	nr_pages = argc > 3 ? parse_number(argv[3], 1, 100000) : 0;
	pause_us = argc > 4 ? parse_number(argv[4], 0, 1000000) : 0;
	page_bytes = sysconf(_SC_PAGESIZE);
	dir = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pages = mmap(NULL, (nr_pages + 1) * page_bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (dir < 0 || pages == MAP_FAILED ||
	    madvise(pages, (nr_pages + 1) * page_bytes, MADV_NOHUGEPAGE))
		die(argv[1]);
	for (unsigned i = 1; i <= nr; i++) {
		int cgroup = open_cgroup(dir, i);

		if (nr_pages)
			visit(cgroup);
		close(cgroup);
		if (pause_us)
			usleep(pause_us);
	}
	return 0;
}
