// SPDX-License-Identifier: BSD-2-Clause
/*
 * crowd - fact: so many processes that wake up as often and do nothing else.
 *
 * usage: crowd [-n PROCESSES] [-i MILLISECONDS]
 *
 * 1000 of them, every 100 ms, until a signal ends it.
 */
#include <signal.h>
#include <sys/prctl.h>

#include "prog.h"

int main(int argc, char **argv)
{
	unsigned nr = 1000, ms = 100;
	struct timespec nap;
	pid_t pid;
	int c;

	while ((c = getopt(argc, argv, "n:i:")) != -1) {
		if (c == 'n')
			nr = parse_number(optarg, 1, 100000);
		else if (c == 'i')
			ms = parse_number(optarg, 1, 86400000);
		else
			return 2;
	}
	nap = (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
	for (unsigned i = 0; i < nr; i++) {
		pid = fork();
		if (pid < 0)
			die("fork");
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			nanosleep(&nap, NULL);
	}
	for (;;)
		pause();
}
