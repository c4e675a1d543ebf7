// SPDX-License-Identifier: BSD-2-Clause
/*
 * probed - facts about calls: how many, with which arguments, from where, with which result.
 *
 * usage: probed [-w] [-b] [-n TIMES]
 *
 * TIMES (1) each of:
 *	probed_call	for n = 0 .. 9: (n, "even" or "odd", -n), returns 100 - 20 * n; all numbers
 *			below five by caller_a, the others by caller_b
 *	recurse		depth 10
 *	leap		left by longjmp(3), 3 times; never returns
 *	paging		touches 4 fresh pages itself and 6 in paging_inner; paging_inner is also
 *			called by itself, then touches 2
 *	napping		sleeps 2 ms
 * -w: waits for a line on stdin first. -b: busy all the time, without napping: who sleeps is hardly
 * ever preempted.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "prog.h"

static jmp_buf back;

KNOWN_FRAME long probed_call(long n, const char *parity, int negative)
{
	__asm__ volatile("" : : "r"(parity), "r"(negative));
	keep_frame();
	return 100 - 20 * n;
}

KNOWN_FRAME void caller_a(long n)
{
	probed_call(n, n % 2 ? "odd" : "even", -n);
	keep_frame();
}

KNOWN_FRAME void caller_b(long n)
{
	probed_call(n, n % 2 ? "odd" : "even", -n);
	keep_frame();
}

KNOWN_FRAME void recurse(int depth)
{
	if (depth > 1)
		recurse(depth - 1);
	keep_frame();
}

KNOWN_FRAME void leap(void)
{
	keep_frame();
	longjmp(back, 1);
}

KNOWN_FRAME void leap_often(void)
{
	volatile int n = 0;

	if (setjmp(back) || !n)
		if (n++ < 3)
			leap();
	keep_frame();
}

static void touch(int pages)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (p == MAP_FAILED)
		die("mmap");
	madvise(p, pages * page, MADV_NOHUGEPAGE);
	for (int i = 0; i < pages; i++)
		((volatile char *)p)[i * page] = 1;
	munmap(p, pages * page);
}

KNOWN_FRAME void paging_inner(int pages)
{
	touch(pages);
	keep_frame();
}

KNOWN_FRAME void paging(void)
{
	touch(4);
	paging_inner(6);
	keep_frame();
}

KNOWN_FRAME void napping(void)
{
	const struct timespec nap = { .tv_nsec = 2000000 };

	nanosleep(&nap, NULL);
	keep_frame();
}

static void once(bool naps)
{
	for (long n = 0; n < 10; n++)
		(n < 5 ? caller_a : caller_b)(n);
	recurse(10);
	leap_often();
	paging();
	paging_inner(2);
	if (naps)
		napping();
}

int main(int argc, char **argv)
{
	unsigned times = 1;
	bool naps = true;
	char line[64];
	int c;

	while ((c = getopt(argc, argv, "wbn:")) != -1) {
		if (c == 'w') {
			if (!fgets(line, sizeof(line), stdin))
				return 1;
		} else if (c == 'b') {
			naps = false;
		} else if (c == 'n') {
			times = atoi(optarg);
		} else {
			return 2;
		}
	}
	while (times--)
		once(naps);
	return 0;
}
