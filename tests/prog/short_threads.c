// SPDX-License-Identifier: BSD-2-Clause
/*
 * short_threads - fact: all CPU time is spent on threads that begin and end at once, one after the
 * other, for about SECONDS (default 1). Many a sample is where a thread begins: behind clone(2).
 *
 * usage: short_threads [SECONDS]
 */
#include <pthread.h>
#include <time.h>

#include "prog.h"

static void *ends(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	const time_t until = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	pthread_t thread;

	while (time(NULL) < until)
		if (pthread_create(&thread, NULL, ends, NULL) || pthread_join(thread, NULL))
			return 1;
	return 0;
}
