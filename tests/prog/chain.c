// SPDX-License-Identifier: BSD-2-Clause
/*
 * chain - fact: every sample's user stack is main, c01, c02, .. c40, in this order.
 *
 * usage: chain [-s SECONDS] [-d DEPTH] [-r N]
 *
 * SECONDS (default 1) is CPU time. With -d the chain ends, and burns, in its DEPTH-th function.
 * With -r the stack is one function, recurse, N times: for what happens beyond --max-stack.
 */
#include "prog.h"

static uint64_t seconds_ns = NS_PER_SEC;

/* The innermost first: each function calls the one defined before it. */
#define LAST(name)                                                                                 \
	KNOWN_FRAME void name(unsigned depth)                                                      \
	{                                                                                          \
		burn_here(seconds_ns);                                                             \
	}
#define LINK(name, next)                                                                           \
	KNOWN_FRAME void name(unsigned depth)                                                      \
	{                                                                                          \
		if (depth == 1)                                                                    \
			burn_here(seconds_ns);                                                     \
		else                                                                               \
			next(depth - 1);                                                           \
		__asm__ volatile(""); /* so that the call is not the last thing done */            \
	}

LAST(c40)
LINK(c39, c40)
LINK(c38, c39)
LINK(c37, c38)
LINK(c36, c37)
LINK(c35, c36)
LINK(c34, c35)
LINK(c33, c34)
LINK(c32, c33)
LINK(c31, c32)
LINK(c30, c31)
LINK(c29, c30)
LINK(c28, c29)
LINK(c27, c28)
LINK(c26, c27)
LINK(c25, c26)
LINK(c24, c25)
LINK(c23, c24)
LINK(c22, c23)
LINK(c21, c22)
LINK(c20, c21)
LINK(c19, c20)
LINK(c18, c19)
LINK(c17, c18)
LINK(c16, c17)
LINK(c15, c16)
LINK(c14, c15)
LINK(c13, c14)
LINK(c12, c13)
LINK(c11, c12)
LINK(c10, c11)
LINK(c09, c10)
LINK(c08, c09)
LINK(c07, c08)
LINK(c06, c07)
LINK(c05, c06)
LINK(c04, c05)
LINK(c03, c04)
LINK(c02, c03)
LINK(c01, c02)

KNOWN_FRAME void recurse(unsigned depth)
{
	if (depth <= 1)
		burn_here(seconds_ns);
	else
		recurse(depth - 1);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	unsigned depth = 40, recursion = 0;
	int c;

	while ((c = getopt(argc, argv, "s:d:r:")) != -1) {
		switch (c) {
		case 's':
			seconds_ns = parse_seconds(optarg);
			break;
		case 'd':
			depth = parse_number(optarg, 1, 40);
			break;
		case 'r':
			recursion = parse_number(optarg, 1, 10000);
			break;
		default:
			return 2;
		}
	}

	if (recursion)
		recurse(recursion);
	else
		c01(depth);
	return 0;
}
