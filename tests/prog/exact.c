// SPDX-License-Identifier: BSD-2-Clause
/*
 * exact - facts to count: system calls, stores, fresh pages, sleeps and calls, as many as it is
 * told.
 *
 * usage: exact [-w] [-x] [-g GETPPIDS] [-m STORES] [-p PAGES] [-n SLEEPS] [-f CALLS] [-j THREADS]
 *
 * Prints the address of the variable that is stored to; -w: then waits for a line on stdin. The
 * stores are of 8 bytes, the pages are touched once each, the calls are of exact_call(). With -j
 * each of so many threads, started behind the -w, does all of it but the pages. -x: goes to the
 * next CPU before each getppid.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "prog.h"

static volatile uint64_t stored __attribute__((aligned(8)));
static unsigned getppids, stores, pages, sleeps, calls, threads;
static bool moves;

KNOWN_FRAME void exact_call(unsigned i)
{
	__asm__ volatile("" : : "r"(i));
	keep_frame();
}

/* To the i-th CPU, counted round. */
static void move(unsigned i)
{
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(i % sysconf(_SC_NPROCESSORS_ONLN), &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		die("sched_setaffinity");
}

static void *work(void *arg)
{
	const struct timespec nap = { .tv_nsec = 100000 };

	for (unsigned i = 0; i < getppids; i++) {
		if (moves)
			move(i);
		syscall_in_place(SYS_getppid, 0, 0, 0);
	}
	for (unsigned i = 0; i < stores; i++)
		stored = i;
	for (unsigned i = 0; i < sleeps; i++)
		nanosleep(&nap, NULL);
	for (unsigned i = 0; i < calls; i++)
		exact_call(i);
	return arg;
}

static void touch_pages(void)
{
	long size = sysconf(_SC_PAGESIZE);
	char *memory;

	if (!pages)
		return;
	memory = mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (memory == MAP_FAILED)
		die("mmap");
	madvise(memory, pages * size, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < pages; i++)
		*(volatile char *)(memory + i * size) = 1;
}

static void run_threads(void)
{
	pthread_t ids[64];

	if (threads > 64)
		exit(2);
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, work, NULL))
			die("pthread_create");
	for (unsigned i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
}

int main(int argc, char **argv)
{
	bool wait = false;
	int c;

	while ((c = getopt(argc, argv, "wxg:m:p:n:f:j:")) != -1) {
		unsigned *n = c == 'g'	 ? &getppids
			      : c == 'm' ? &stores
			      : c == 'p' ? &pages
			      : c == 'n' ? &sleeps
			      : c == 'f' ? &calls
			      : c == 'j' ? &threads
					 : NULL;

		if (c == 'w')
			wait = true;
		else if (c == 'x')
			moves = true;
		else if (n)
			*n = strtoul(optarg, NULL, 10);
		else
			return 2;
	}
	printf("%p\n", (void *)&stored);
	fflush(stdout);
	if (wait && getchar() == EOF)
		return 1;
	touch_pages();
	if (threads)
		run_threads();
	else
		work(NULL);
	return 0;
}
