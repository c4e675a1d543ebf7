// SPDX-License-Identifier: BSD-2-Clause
/*
 * paths - fact: leaf() is called N times, each time by another way through left() and right(),
 * 20 calls deep, and that as often as said. Some 40,000 ways a second, and a second of rest behind
 * the first 1000, which have been wherever the others will be.
 *
 * usage: paths N [ROUNDS]
 */
#include "prog.h"

enum { DEPTH = 20 };

KNOWN_FRAME void leaf(void)
{
	keep_frame();
}

KNOWN_FRAME void left(unsigned way, unsigned depth);
KNOWN_FRAME void right(unsigned way, unsigned depth);

IN_PLACE void go(unsigned way, unsigned depth)
{
	if (!depth)
		leaf();
	else if (way & 1)
		left(way >> 1, depth - 1);
	else
		right(way >> 1, depth - 1);
	__asm__ volatile(""); /* so that the call is not the last thing done */
}

void left(unsigned way, unsigned depth)
{
	go(way, depth);
}

void right(unsigned way, unsigned depth)
{
	go(way, depth);
}

static void step(unsigned way)
{
	go(way, DEPTH);
	if (way % 1000 == 999)
		usleep(20000);
}

int main(int argc, char **argv)
{
	unsigned nr = parse_number(argc > 1 ? argv[1] : "1000", 1, 1 << DEPTH);
	unsigned rounds = parse_number(argc > 2 ? argv[2] : "1", 1, 1000);

	for (unsigned round = 0; round < rounds; round++)
		for (unsigned way = 0; way < nr; way++) {
			if (!round && way == 1000)
				sleep(1);
			step(way);
		}
	return 0;
}
