// SPDX-License-Identifier: BSD-2-Clause
/*
 * exec_child - fact: a new process every 50 ms, which execs, burns 40 ms in child_work and is gone
 * within 100 ms. The parent uses next to no CPU time.
 *
 * usage: exec_child [-n CHILDREN] [-x PATH]
 *
 * The children exec PATH, a copy of or a link to this program, whose name becomes theirs (default:
 * this program itself). CHILDREN: default 20. Prints how many came back well.
 */
#include <sys/wait.h>

#include "prog.h"

KNOWN_FRAME void child_work(void)
{
	burn_here(40 * NS_PER_MS);
}

static void spawn(const char *path)
{
	if (fork() == 0) {
		execl(path, path, "--child", (char *)NULL);
		_exit(127);
	}
}

int main(int argc, char **argv)
{
	const char *path = "/proc/self/exe";
	unsigned nr = 20, good = 0, i;
	int c, status;

	if (argc == 2 && !strcmp(argv[1], "--child")) {
		child_work();
		return 0;
	}
	while ((c = getopt(argc, argv, "n:x:")) != -1) {
		switch (c) {
		case 'n':
			nr = parse_number(optarg, 1, 100000);
			break;
		case 'x':
			path = optarg;
			break;
		default:
			return 2;
		}
	}

	for (i = 0; i < nr; i++) {
		spawn(path);
		usleep(50000);
		while (waitpid(-1, &status, WNOHANG) > 0)
			good += status == 0;
	}
	while (wait(&status) > 0)
		good += status == 0;
	printf("%u of %u children\n", good, nr);
	return good == nr ? 0 : 1;
}
