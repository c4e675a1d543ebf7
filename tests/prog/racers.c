// SPDX-License-Identifier: BSD-2-Clause
/*
 * racers - intervals that several threads begin and end at once, under the same numbers.
 *
 * usage: racers THREADS N IDS
 *
 * Each thread calls race_begin(ID) and race_end(ID) N times in turn, with ID from 1 to IDS, in an
 * order of its own: others begin and end the same ones meanwhile.
 */
#include <pthread.h>

#include "prog.h"

enum { THREADS_MAX = 64 };

static unsigned rounds, ids;
static pthread_barrier_t start;

KNOWN_FRAME void race_begin(unsigned id)
{
	__asm__ volatile("" : : "r"(id));
}

KNOWN_FRAME void race_end(unsigned id)
{
	__asm__ volatile("" : : "r"(id));
}

static void *race(void *arg)
{
	unsigned x = (uintptr_t)arg;

	pthread_barrier_wait(&start);
	for (unsigned i = 0; i < rounds; i++) {
		unsigned id;

		x = x * 1664525 + 1013904223;
		id = 1 + (x >> 16) % ids;
		race_begin(id);
		race_end(id);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	unsigned nr;

	if (argc != 4)
		return 2;
	nr = parse_number(argv[1], 1, THREADS_MAX);
	rounds = parse_number(argv[2], 1, 10000000);
	ids = parse_number(argv[3], 1, 1000000);
	pthread_barrier_init(&start, NULL, nr);
	for (unsigned i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, race, (void *)(uintptr_t)(i + 1)))
			die("pthread_create");
	for (unsigned i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	printf("%u begun, %u ended\n", nr * rounds, nr * rounds);
	return 0;
}
