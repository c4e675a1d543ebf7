// SPDX-License-Identifier: BSD-2-Clause
/* inlines SECONDS - burns CPU in inner(), which is inlined into middle(), which is into outer(). */
#include <stdlib.h>
#include <time.h>

static volatile unsigned sink;

__attribute__((always_inline)) static inline void inner(void)
{
	for (unsigned i = 0; i < 20000; i++) /* INNER */
		sink = i;		     /* INNER */
}

__attribute__((always_inline)) static inline void middle(void)
{
	inner(); /* MIDDLE */
}

__attribute__((noinline)) static void outer(void)
{
	middle(); /* OUTER */
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 1;
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		outer();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) / 1e9 < seconds);
	return 0;
}
