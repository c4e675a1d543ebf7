// SPDX-License-Identifier: BSD-2-Clause
/*
 * crowd - fact: so many processes that wake up as often and do nothing else.
 *
 * usage: crowd [-n PROCESSES] [-i MILLISECONDS]
 *
 * 1000 of them, every 100 ms, until a signal ends it. It says "there" when all are, and with the
 * first byte or the end of its input they wake up in the same moment; "awake" when each has.
 */
#include <signal.h>
#include <sys/prctl.h>

#include "prog.h"

static void say(const char *what)
{
	puts(what);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	unsigned nr = 1000, ms = 100;
	struct timespec nap;
	int go[2], awake[2];
	pid_t pid;
	char byte;
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
	if (pipe(go) || pipe(awake))
		die("pipe");
	for (unsigned i = 0; i < nr; i++) {
		pid = fork();
		if (pid < 0)
			die("fork");
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(go[1]);
		if (read(go[0], &byte, 1) || write(awake[1], "", 1) != 1)
			die("pipe");
		for (;;)
			nanosleep(&nap, NULL);
	}
	say("there");
	if (read(STDIN_FILENO, &byte, 1) < 0)
		die("read");
	close(go[1]);
	for (unsigned i = 0; i < nr; i++) {
		if (read(awake[0], &byte, 1) != 1)
			die("read");
	}
	say("awake");
	for (;;)
		pause();
}
