// SPDX-License-Identifier: BSD-2-Clause
/*
 * pingpong - fact: two tasks that wake each other as often as they are told, and what they have
 * used stays to be read: they sleep from then on.
 *
 * usage: pingpong [-n ROUNDS] [-c CPU] [-t]
 *
 * A round is a byte to the other one and one back. With -c both share a CPU, so that a round is two
 * switches. They are processes, with -t threads of one. "TID TID" is printed when the last round is
 * over; ends when stdin does, or by a signal.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "prog.h"

static unsigned rounds = 1000;
static int there[2], back[2];

static void get(int from)
{
	char byte;

	if (read(from, &byte, 1) != 1)
		exit(1);
}

static void put(int to)
{
	if (write(to, "", 1) != 1)
		exit(1);
}

static void *answer(void *tid)
{
	*(pid_t *)tid = syscall(SYS_gettid);
	for (unsigned i = 0; i < rounds; i++) {
		get(there[0]);
		put(back[1]);
	}
	for (;;)
		pause();
	return NULL;
}

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static pid_t start_process(void)
{
	pid_t pid = fork(), own;

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	answer(&own);
	return 0;
}

int main(int argc, char **argv)
{
	bool threads = false;
	volatile pid_t other = 0;
	pthread_t thread;
	int c;

	while ((c = getopt(argc, argv, "n:c:t")) != -1) {
		if (c == 'n')
			rounds = parse_number(optarg, 1, 100000000);
		else if (c == 'c')
			pin(parse_number(optarg, 0, CPU_SETSIZE - 1));
		else if (c == 't')
			threads = true;
		else
			return 2;
	}
	if (pipe(there) || pipe(back))
		die("pipe");
	if (threads && pthread_create(&thread, NULL, answer, (void *)&other))
		die("pthread_create");
	if (!threads)
		other = start_process();
	for (unsigned i = 0; i < rounds; i++) {
		put(there[1]);
		get(back[0]);
	}
	printf("%d %d\n", getpid(), other);
	fflush(stdout);
	while (getchar() != EOF)
		;
	if (!threads)
		kill(other, SIGKILL);
	return 0;
}
