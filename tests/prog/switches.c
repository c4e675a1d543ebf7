// SPDX-License-Identifier: BSD-2-Clause
/*
 * switches - functions in which a thread goes to another stack and comes back.
 *
 * usage: switches N
 *
 * produce() N times and consume() N + 1 times in turn, each on a stack of its own: each goes off
 * its stack and comes back to it before it returns. Prints how many were produced.
 */
#include <ucontext.h>

#include "prog.h"

static ucontext_t main_context, other_context;
static unsigned turns, produced;

KNOWN_FRAME void produce(void)
{
	produced++;
	swapcontext(&other_context, &main_context);
	keep_frame();
}

KNOWN_FRAME void consume(void)
{
	swapcontext(&main_context, &other_context);
	keep_frame();
}

static void other_stack(void)
{
	while (produced < turns)
		produce();
}

int main(int argc, char **argv)
{
	static char stack[1 << 16];

	turns = argc > 1 ? parse_number(argv[1], 0, 1000000) : 1;
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = stack;
	other_context.uc_stack.ss_size = sizeof(stack);
	other_context.uc_link = &main_context;
	makecontext(&other_context, other_stack, 0);
	for (unsigned i = 0; i <= turns; i++)
		consume();
	printf("%u produced\n", produced);
	return 0;
}
