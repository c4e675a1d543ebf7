// SPDX-License-Identifier: BSD-2-Clause
/*
 * usdt - fact: static probes that are reached as often as the command line says.
 *
 * usage: usdt [-u MICROSECONDS] [CALLS]
 *
 * Each of CALLS (1000) rounds reaches
 *	shop:visit  at its one place, always. Argument: the number of the round, from 0
 *	shop:sale   at one of its two places, in turn: sell_bread() and sell_milk(). It has a
 *		    semaphore and is passed by while nobody has raised that, as in real programs
 * and the end reaches
 *	shop:close  once
 *	bank:close  once, right behind it
 * Prints how often shop:sale was reached. Sleeps MICROSECONDS after each round.
 *
 * The notes are written as <sys/sdt.h> does it, so that it need not be there.
 */
#include "prog.h"

#define QUOTE_(x) #x
#define QUOTE(x)  QUOTE_(x)

/* @semaphore: a symbol, or 0. @arg: of 32 bits. */
#define PROBE(provider, name, semaphore, arg)                                                      \
	__asm__ volatile(                                                                          \
		"990:	nop\n"                                                                       \
		".pushsection .note.stapsdt,\"\",\"note\"\n"                                       \
		".balign 4\n"                                                                      \
		".4byte 992f-991f, 994f-993f, 3\n"                                                 \
		"991:	.asciz \"stapsdt\"\n"                                                        \
		"992:	.balign 4\n"                                                                 \
		"993:	.8byte 990b, _.stapsdt.base, " QUOTE(                                      \
			semaphore) "\n"                                                            \
				   ".asciz \"" #provider "\"\n"                                    \
				   ".asciz \"" #name "\"\n"                                        \
				   ".asciz \"4@%0\"\n"                                             \
				   "994:	.balign 4\n"                                              \
				   ".popsection\n"                                                 \
				   ".ifndef _.stapsdt.base\n"                                      \
				   ".pushsection "                                                 \
				   ".stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"      \
				   ".weak _.stapsdt.base\n"                                        \
				   ".hidden _.stapsdt.base\n"                                      \
				   "_.stapsdt.base: .space 1\n"                                    \
				   ".size _.stapsdt.base, 1\n"                                     \
				   ".popsection\n"                                                 \
				   ".endif\n"                                                      \
		:                                                                                  \
		: "nr"(arg))

/*
 * On a page of its own: the kernel looks for it by its offset in the file, and a page that holds
 * the ends of two segments, as lld makes them, is mapped twice (find_ref_ctr_vma(),
 * kernel/events/uprobes.c).
 */
volatile unsigned short shop_sale_semaphore
	__attribute__((section(".probes"), used, aligned(4096)));

KNOWN_FRAME void visit(unsigned round)
{
	PROBE(shop, visit, 0, round);
	keep_frame();
}

KNOWN_FRAME void sell_bread(unsigned round)
{
	PROBE(shop, sale, shop_sale_semaphore, round);
	keep_frame();
}

KNOWN_FRAME void sell_milk(unsigned round)
{
	PROBE(shop, sale, shop_sale_semaphore, round);
	keep_frame();
}

KNOWN_FRAME void close_up(unsigned rounds)
{
	PROBE(shop, close, 0, rounds);
	PROBE(bank, close, 0, rounds);
	keep_frame();
}

int main(int argc, char **argv)
{
	unsigned calls = 1000, pause_us = 0, sales = 0, i;
	int c;

	while ((c = getopt(argc, argv, "u:")) != -1) {
		if (c == 'u')
			pause_us = parse_number(optarg, 0, 1000000);
		else
			return 2;
	}
	if (optind < argc)
		calls = parse_number(argv[optind++], 0, 1000000000);
	if (optind < argc)
		bad_argument("argument", argv[optind]);
	for (i = 0; i < calls; i++) {
		visit(i);
		if (shop_sale_semaphore) {
			sales++;
			if (i % 2)
				sell_milk(i);
			else
				sell_bread(i);
		}
		if (pause_us)
			usleep(pause_us);
	}
	close_up(calls);
	printf("%u\n", sales);
	return 0;
}
