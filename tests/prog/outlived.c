// SPDX-License-Identifier: BSD-2-Clause
/*
 * outlived - facts for who has ended: a process that lives on without its first thread, and a
 * thread that becomes the process.
 *
 * usage: outlived [-x | -w]
 *
 * At SIGUSR1 the first thread ends. Another one, named heir, makes threads named mayfly from the
 * start: one after the other, each burns 5 ms and ends, 20 ms lie between them.
 *	-x	at SIGUSR1 the other thread replaces the process by `exe -w` instead
 *	-w	burns 5 ms every 20 ms
 * All until they are killed.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "prog.h"

static bool replaces;
static sigset_t usr1;

static void burn_and_rest(void)
{
	burn_here(5 * NS_PER_MS);
	usleep(20000);
}

static void *mayfly(void *unused)
{
	pthread_setname_np(pthread_self(), "mayfly");
	burn_here(5 * NS_PER_MS);
	return unused;
}

static void *heir(void *unused)
{
	int sig;

	pthread_setname_np(pthread_self(), "heir");
	if (replaces) {
		sigwait(&usr1, &sig);
		execl("/proc/self/exe", "exe", "-w", (char *)NULL);
		_exit(1);
	}
	for (;;) {
		pthread_t one;

		if (pthread_create(&one, NULL, mayfly, NULL))
			_exit(1);
		pthread_join(one, NULL);
		usleep(20000);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t one;
	int c, sig;

	while ((c = getopt(argc, argv, "xw")) != -1) {
		if (c == 'x')
			replaces = true;
		else if (c == 'w')
			for (;;)
				burn_and_rest();
		else
			return 2;
	}
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &usr1, NULL);
	if (pthread_create(&one, NULL, heir, NULL))
		return 1;
	if (replaces)
		for (;;)
			burn_and_rest();
	sigwait(&usr1, &sig);
	pthread_exit(NULL);
}
