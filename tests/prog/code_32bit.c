// SPDX-License-Identifier: BSD-2-Clause
/*
 * code_32bit - fact: a program of 32-bit code, whose stacks are _start, outer, middle, spin with
 * frame pointers. Built without a C library.
 *
 * usage: code_32bit
 *
 * Runs for 0.3 s of CPU time on a fast machine, and 20 s on an emulated one.
 */

#define NOINLINE     __attribute__((noinline))
#define NO_TAIL_CALL __asm__ volatile("" ::: "memory")

NOINLINE void spin(void);
NOINLINE void middle(void);
NOINLINE void outer(void);
void _start(void);

/* What it counts is on its stack: a leaf without anything there gets no frame from gcc 12. */
void spin(void)
{
	for (volatile unsigned i = 0; i < 300000; i++)
		;
}

void middle(void)
{
	spin();
	NO_TAIL_CALL;
}

void outer(void)
{
	for (int i = 0; i < 4000; i++)
		middle();
	NO_TAIL_CALL;
}

/* exit(2) of 32-bit code. */
void _start(void)
{
	outer();
	__asm__ volatile("int $0x80" ::"a"(1), "b"(0));
	__builtin_unreachable();
}
