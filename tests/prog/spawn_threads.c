// SPDX-License-Identifier: BSD-2-Clause
/*
 * spawn_threads - fact: N threads named late-0, late-1, .. are born after the program has run for
 * a while, and all the program's CPU time is theirs, in late_thread_work.
 *
 * usage: spawn_threads [-n THREADS] [-d MS] [-s SECONDS]
 *
 * They are born after MS milliseconds or, without -d, when SIGUSR1 arrives: "waiting" is printed
 * once it may. SECONDS (default 1) is CPU time of each.
 */
#include <pthread.h>
#include <signal.h>

#include "prog.h"

enum { MAX_THREADS = 256 };

static uint64_t seconds_ns = NS_PER_SEC;

KNOWN_FRAME void late_thread_work(void)
{
	burn_here(seconds_ns);
}

static void *thread_main(void *index)
{
	char name[16];

	snprintf(name, sizeof(name), "late-%u", (unsigned)(uintptr_t)index);
	pthread_setname_np(pthread_self(), name);
	late_thread_work();
	return NULL;
}

static void wait_for_sigusr1(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* While sigwait() sleeps the signal is not in SigBlk of /proc/PID/status. */
	puts("waiting");
	fflush(stdout);
	sigwait(&set, &sig);
}

int main(int argc, char **argv)
{
	static pthread_t threads[MAX_THREADS];
	unsigned nr = 2, delay_ms = 0, i;
	int c;

	while ((c = getopt(argc, argv, "n:d:s:")) != -1) {
		switch (c) {
		case 'n':
			nr = parse_number(optarg, 1, MAX_THREADS);
			break;
		case 'd':
			delay_ms = parse_number(optarg, 1, 60000);
			break;
		case 's':
			seconds_ns = parse_seconds(optarg);
			break;
		default:
			return 2;
		}
	}

	if (delay_ms)
		usleep(delay_ms * 1000);
	else
		wait_for_sigusr1();
	for (i = 0; i < nr; i++) {
		errno = pthread_create(&threads[i], NULL, thread_main, (void *)(uintptr_t)i);
		if (errno)
			die("pthread_create");
	}
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
