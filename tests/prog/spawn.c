// SPDX-License-Identifier: BSD-2-Clause
/*
 * spawn - fact: a command is run as often as it is told, each time by a process of its own, one
 * after the other.
 *
 * usage: spawn N CMD [ARG..]
 */
#include <spawn.h>
#include <sys/wait.h>

#include "prog.h"

extern char **environ;

int main(int argc, char **argv)
{
	unsigned n;
	pid_t pid;

	if (argc < 3)
		return 2;
	n = parse_number(argv[1], 0, 10000000);
	for (unsigned i = 0; i < n; i++) {
		errno = posix_spawn(&pid, argv[2], NULL, NULL, argv + 2, environ);
		if (errno)
			die(argv[2]);
		if (waitpid(pid, NULL, 0) != pid)
			die("waitpid");
	}
	return 0;
}
