// SPDX-License-Identifier: BSD-2-Clause
/*
 * loop - fact: loop_work retires as many instructions as it is told, and nearly nothing else here
 * retires any: some hundred thousand for the start and the end of the process.
 *
 * usage: loop [-n INSTRUCTIONS]
 */
#include "prog.h"

enum { PER_ROUND = 4 };

KNOWN_FRAME void loop_work(uint64_t rounds)
{
	keep_frame();
#if defined(__x86_64__)
	__asm__ volatile("1: nop\n nop\n dec %0\n jnz 1b" : "+r"(rounds) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: nop\n nop\n subs %0, %0, #1\n b.ne 1b" : "+r"(rounds) : : "cc");
#else
#error "no loop for this architecture"
#endif
}

int main(int argc, char **argv)
{
	unsigned instructions = 100000000;
	int c;

	while ((c = getopt(argc, argv, "n:")) != -1) {
		if (c != 'n')
			return 2;
		instructions = parse_number(optarg, PER_ROUND, 4000000000u);
	}
	loop_work(instructions / PER_ROUND);
	return 0;
}
