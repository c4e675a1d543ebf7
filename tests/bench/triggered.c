// SPDX-License-Identifier: BSD-2-Clause
/*
 * triggered - what one system call, or one call of a function, takes while something counts it.
 *
 * usage: triggered syscall|function
 *
 * Prints CPU time in ns for each of 250 calls, of the fastest hundredth of 1,000 such lots: what
 * else is at work on the machine makes calls slower, nothing makes them faster. `triggered_call`
 * begins as compilers make functions for CET, whatever flags built this. Before the lots and behind
 * them are 100 system calls each of number 9999, which there is not: who counted both counted all.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 250, LOTS = 1000, MARKS = 100, NO_SUCH_CALL = 9999 };

void triggered_call(void);
#if defined(__x86_64__)
__asm__(".text\n.globl triggered_call\n.type triggered_call, @function\n"
	"triggered_call:\n\tendbr64\n\tpush %rbp\n\tmov %rsp, %rbp\n\tpop %rbp\n\tret\n"
	".size triggered_call, .-triggered_call\n");
#else
__attribute__((noipa)) void triggered_call(void)
{
	__asm__ volatile("");
}
#endif

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void mark(void)
{
	for (int n = 0; n < MARKS; n++)
		syscall(NO_SUCH_CALL);
}

int main(int argc, char **argv)
{
	static uint64_t lots[LOTS];
	int function = argc > 1 && !strcmp(argv[1], "function");

	if (argc != 2 || (!function && strcmp(argv[1], "syscall")))
		return 2;
	mark();
	for (int i = 0; i < LOTS; i++) {
		uint64_t start = cpu_ns();

		for (int n = 0; n < CALLS && function; n++)
			triggered_call();
		for (int n = 0; n < CALLS && !function; n++)
			syscall(SYS_getppid);
		lots[i] = cpu_ns() - start;
	}
	mark();
	qsort(lots, LOTS, sizeof(lots[0]), compare);
	printf("%.1f\n", lots[LOTS / 100] / (double)CALLS);
	return 0;
}
