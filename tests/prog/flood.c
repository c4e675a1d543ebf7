// SPDX-License-Identifier: BSD-2-Clause
/*
 * flood - fact: maps code as often as it is told: so many process events of some 150 bytes.
 *
 * usage: flood TIMES
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "prog.h"

int main(int argc, char **argv)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (argc != 2 || fd < 0)
		return 2;
	for (unsigned i = parse_number(argv[1], 0, 10000000); i; i--) {
		void *at = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		if (at == MAP_FAILED || munmap(at, 1))
			die("mmap");
	}
	return 0;
}
