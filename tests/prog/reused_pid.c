// SPDX-License-Identifier: BSD-2-Clause
/*
 * reused_pid - fact: two processes one after the other that have the same number.
 *
 * usage: reused_pid FIRST SECOND
 *
 * Prints the number and waits for a line. The first one makes getppid(2) FIRST times and ends; half
 * a second after it has been reaped, when the kernel has freed all of it, the second one is made
 * with its number and makes getppid(2) SECOND times.
 */
#include <sys/wait.h>

#include "clone_as.h"

static void getppid_often(unsigned n)
{
	while (n--)
		syscall_in_place(SYS_getppid, 0, 0, 0);
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned first, second;
	char line[16];
	int go[2];
	pid_t pid;

	if (argc != 3)
		return 2;
	first = parse_number(argv[1], 0, 1000000);
	second = parse_number(argv[2], 0, 1000000);
	if (pipe(go))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		if (read(go[0], line, 1) == 1)
			getppid_often(first);
		_exit(1);
	}
	printf("%d\n", pid);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin) || write(go[1], "", 1) != 1)
		return 1;
	waitpid(pid, NULL, 0);
	usleep(500000);
	if (!clone_as(pid))
		getppid_often(second);
	waitpid(pid, NULL, 0);
	return 0;
}
