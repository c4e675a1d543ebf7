// SPDX-License-Identifier: BSD-2-Clause
/*
 * touch - N pages touched for the first time, each from one of K distinct stacks.
 *
 * usage: touch -n PAGES -k STACKS [-r CALLS] [-u MICROSECONDS]
 *
 * A page fault happens in touch_page() exactly PAGES times: counts that a tool makes of them can
 * be compared to the digit. The stacks below touch_page() are paths of left() and right(), 12
 * deep, and below these are CALLS of below(). Sleeps MICROSECONDS between two pages.
 */
#include <sys/mman.h>

#include "prog.h"

enum { DEPTH = 12 };

static char *page;

KNOWN_FRAME void touch_page(void)
{
	keep_frame();
	*(volatile char *)page = 1;
	keep_frame();
}

void right(unsigned path, int depth);

KNOWN_FRAME void left(unsigned path, int depth)
{
	if (!depth)
		touch_page();
	else if (path & 1)
		right(path >> 1, depth - 1);
	else
		left(path >> 1, depth - 1);
	keep_frame();
}

KNOWN_FRAME void right(unsigned path, int depth)
{
	if (!depth)
		touch_page();
	else if (path & 1)
		right(path >> 1, depth - 1);
	else
		left(path >> 1, depth - 1);
	keep_frame();
}

KNOWN_FRAME void below(unsigned calls, unsigned path)
{
	if (calls)
		below(calls - 1, path);
	else
		left(path, DEPTH);
	keep_frame();
}

int main(int argc, char **argv)
{
	unsigned pages = 1000, stacks = 1, calls = 0, pause_us = 0, i;
	size_t page_bytes = sysconf(_SC_PAGESIZE);
	char *memory;
	int c;

	while ((c = getopt(argc, argv, "n:k:r:u:")) != -1) {
		if (c == 'n')
			pages = parse_number(optarg, 1, 1000000);
		else if (c == 'k')
			stacks = parse_number(optarg, 1, 1 << DEPTH);
		else if (c == 'r')
			calls = parse_number(optarg, 1, 1000);
		else if (c == 'u')
			pause_us = parse_number(optarg, 0, 1000000);
		else
			return 2;
	}
	memory = mmap(NULL, pages * page_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED || madvise(memory, pages * page_bytes, MADV_NOHUGEPAGE))
		die("mmap");
	for (i = 0; i < pages; i++) {
		page = memory + i * page_bytes;
		if (calls)
			below(calls - 1, i % stacks);
		else
			left(i % stacks, DEPTH);
		if (pause_us)
			usleep(pause_us);
	}
	return 0;
}
