// SPDX-License-Identifier: BSD-2-Clause
/*
 * same_pid - fact: two processes, one after the other, run different programs and have the same
 * process id.
 *
 * usage: same_pid PROGRAM1 ARG1 PROGRAM2 ARG2
 *
 * Runs `PROGRAM1 ARG1`, waits for its end, then runs `PROGRAM2 ARG2` with the same process id,
 * which is printed. It asks for that one alone: nobody else's next one is moved.
 */
#include <sys/wait.h>

#include "clone_as.h"

static pid_t run(pid_t pid, char **argv)
{
	int status;

	pid = clone_as(pid);
	if (!pid) {
		execl(argv[0], argv[0], argv[1], (char *)NULL);
		die(argv[0]);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		die(argv[0]);
	return pid;
}

int main(int argc, char **argv)
{
	pid_t first, second;

	if (argc != 5)
		return 2;
	first = run(0, argv + 1);
	/* Ids come round: none is given again before the kernel has put its task away. */
	usleep(200000);
	second = run(first, argv + 3);
	printf("%d\n", first);
	return first != second;
}
