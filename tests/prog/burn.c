// SPDX-License-Identifier: BSD-2-Clause
/*
 * burn - fact: of its CPU time, 30 % is in burn_30 and 70 % in burn_70, both called by work.
 *
 * usage: burn [-s SECONDS] [-t THREADS]
 *
 * SECONDS (default 1) is CPU time of each thread, so the number of samples is known on a busy
 * machine too. Time is handed out in slices of different lengths, each split 30/70: a fixed length
 * would beat against the sampling period. What each function got is printed at the end.
 */
#include <pthread.h>

#include "prog.h"

enum { MAX_THREADS = 256 };

struct spent {
	uint64_t in_30_ns;
	uint64_t in_70_ns;
};

static uint64_t seconds_ns = NS_PER_SEC;

KNOWN_FRAME uint64_t burn_30(uint64_t ns)
{
	return burn_here(ns);
}

KNOWN_FRAME uint64_t burn_70(uint64_t ns)
{
	return burn_here(ns);
}

KNOWN_FRAME void work(struct spent *spent)
{
	uint64_t due_ns = 0, slice_ns;
	uint32_t rnd = 12345;

	/* Each slice also makes up for what the one before overshot. */
	while (due_ns < seconds_ns) {
		rnd = rnd * 1103515245 + 12345;
		slice_ns = 2 * NS_PER_MS + (rnd >> 16) % 17 * NS_PER_MS;
		if (slice_ns > seconds_ns - due_ns)
			slice_ns = seconds_ns - due_ns;
		due_ns += slice_ns;
		if (due_ns * 3 / 10 > spent->in_30_ns)
			spent->in_30_ns += burn_30(due_ns * 3 / 10 - spent->in_30_ns);
		if (due_ns * 7 / 10 > spent->in_70_ns)
			spent->in_70_ns += burn_70(due_ns * 7 / 10 - spent->in_70_ns);
	}
}

static void *thread_main(void *spent)
{
	work(spent);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct spent spent[MAX_THREADS];
	static pthread_t threads[MAX_THREADS];
	struct spent sum = { 0 };
	unsigned nr = 1, i;
	int c;

	while ((c = getopt(argc, argv, "s:t:")) != -1) {
		switch (c) {
		case 's':
			seconds_ns = parse_seconds(optarg);
			break;
		case 't':
			nr = parse_number(optarg, 1, MAX_THREADS);
			break;
		default:
			return 2;
		}
	}

	for (i = 1; i < nr; i++) {
		errno = pthread_create(&threads[i], NULL, thread_main, &spent[i]);
		if (errno)
			die("pthread_create");
	}
	work(&spent[0]);
	for (i = 0; i < nr; i++) {
		if (i)
			pthread_join(threads[i], NULL);
		sum.in_30_ns += spent[i].in_30_ns;
		sum.in_70_ns += spent[i].in_70_ns;
	}
	printf("burn_30 %llu ns, burn_70 %llu ns\n", (unsigned long long)sum.in_30_ns,
	       (unsigned long long)sum.in_70_ns);
	return 0;
}
