// SPDX-License-Identifier: BSD-2-Clause
/*
 * mapped_much - fact: all of its time is in burn(), called by main(), which lies behind some 65,000
 * other mappings.
 *
 * usage: mapped_much [-s SECONDS] [-n MAPPINGS]
 *
 * SECONDS (default 1) is CPU time. burn() runs in a second mapping of this file: mappings are made
 * from above, and it is the first. MAPPINGS (64000) are single pages, alternately to be read or
 * not.
 */
#include "prog.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

KNOWN_FRAME void burn(uint64_t ns)
{
	burn_here(ns);
}

/* Where burn() is once more. */
static void (*map_again(void))(uint64_t)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *at;

	if (fd < 0 || fstat(fd, &st))
		die("/proc/self/exe");
	at = mmap(NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		die("mmap");
	return (void (*)(uint64_t))(uintptr_t)(at + file_offset((uintptr_t)burn));
}

static void map_many(unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		if (mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0) == MAP_FAILED)
			die("mmap");
}

int main(int argc, char **argv)
{
	uint64_t ns = NS_PER_SEC;
	unsigned nr = 64000;
	void (*again)(uint64_t);
	int c;

	while ((c = getopt(argc, argv, "s:n:")) != -1) {
		if (c == 's')
			ns = parse_seconds(optarg);
		else if (c == 'n')
			nr = parse_number(optarg, 0, 1000000);
		else
			return 2;
	}
	again = map_again();
	map_many(nr);
	puts("ready");
	fflush(stdout);
	again(ns);
	return 0;
}
