// SPDX-License-Identifier: BSD-2-Clause
/*
 * pace - what a loop of known length takes of CPU time: how much slower it is while something
 * interrupts it.
 *
 * usage: pace CPU SECONDS
 *
 * Runs equal pieces of some milliseconds on that CPU and prints the lower quartile of the CPU time
 * of a piece, in ns: what comes by chance makes a piece longer, never shorter.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PIECES_MAX = 100000, ROUNDS = 20000000 };

static uint64_t at(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t piece(void)
{
	const uint64_t begin = at(CLOCK_THREAD_CPUTIME_ID);

	for (unsigned i = 0; i < ROUNDS; i++)
		__asm__ volatile("" : "+r"(i));
	return at(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static uint64_t pieces[PIECES_MAX];
	uint64_t end;
	unsigned nr = 0;
	cpu_set_t cpu;

	if (argc != 3)
		return 2;
	CPU_ZERO(&cpu);
	CPU_SET(atoi(argv[1]), &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu)) {
		perror("pace");
		return 1;
	}
	end = at(CLOCK_MONOTONIC) + (uint64_t)(atof(argv[2]) * 1e9);
	while (nr < PIECES_MAX && (!nr || at(CLOCK_MONOTONIC) < end))
		pieces[nr++] = piece();
	qsort(pieces, nr, sizeof(*pieces), compare);
	printf("%llu\n", (unsigned long long)pieces[nr / 4]);
	return 0;
}
