// SPDX-License-Identifier: BSD-2-Clause
/*
 * rows - fact: its stacks are main, outer, middle, spin_rows, without frame pointers, as bare's;
 * and its .eh_frame has 24,000 rows, which are of no other program: it is built as rows_1, rows_2,
 * .., and the functions that they are about, which nobody calls, are ROWS_NR instructions longer
 * in each. They are before, between and behind those of the stacks, whose page they fill: with up
 * to a row for each byte.
 *
 * usage: rows_N [-s SECONDS]
 *
 * SECONDS (default 1) is CPU time.
 */
#include "prog.h"

#define NO_TAIL_CALL __asm__ volatile("" ::: "memory")
#define TEXT(x)	     #x
#define NUMBER(x)    TEXT(x)

/* clang-format off */
#define FUNCTIONS(nr)                             \
	".rept " #nr "\n"                         \
	".cfi_startproc\n"                        \
	"nop\n"                                   \
	".cfi_def_cfa_offset 32\n"                \
	".rept " NUMBER(ROWS_NR) "\n"             \
	"nop\n"                                   \
	".endr\n"                                 \
	".cfi_def_cfa_offset 64\n"                \
	"nop\n"                                   \
	".cfi_endproc\n"                          \
	".endr\n"
__asm__(".text\n" FUNCTIONS(4000)
	".section .text.rows_1, \"ax\"\n" FUNCTIONS(2000)
	".section .text.rows_2, \"ax\", @progbits\n" /* middle() */
	".section .text.rows_3, \"ax\"\n" FUNCTIONS(2000)
	".text\n");
/* clang-format on */

static uint64_t end_ns;

KNOWN_FRAME void spin_rows(void)
{
	for (unsigned i = 0; i < 300000; i++)
		__asm__ volatile("" : "+r"(i));
}

__attribute__((section(".text.rows_2"))) KNOWN_FRAME void middle(void)
{
	spin_rows();
	NO_TAIL_CALL;
}

KNOWN_FRAME void outer(void)
{
	while (thread_cpu_ns() < end_ns)
		middle();
}

int main(int argc, char **argv)
{
	uint64_t ns = NS_PER_SEC;

	for (int c; (c = getopt(argc, argv, "s:")) != -1;)
		if (c == 's')
			ns = parse_seconds(optarg);
		else
			exit(2);
	end_ns = thread_cpu_ns() + ns;
	outer();
	NO_TAIL_CALL;
	return 0;
}
