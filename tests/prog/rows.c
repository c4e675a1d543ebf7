// SPDX-License-Identifier: BSD-2-Clause
/*
 * rows - fact: its stacks are main, outer, middle, spin_rows, without frame pointers, as bare's;
 * and its .eh_frame has 24,000 rows, which are of no other program: it is built as rows_1, rows_2,
 * .., and the functions that they are about, which nobody calls, are ROWS_NR instructions longer
 * in each.
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
__asm__(".text\n"
	".rept 8000\n"
	".cfi_startproc\n"
	"nop\n"
	".cfi_def_cfa_offset 32\n"
	".rept " NUMBER(ROWS_NR) "\n"
	"nop\n"
	".endr\n"
	".cfi_def_cfa_offset 64\n"
	"nop\n"
	".cfi_endproc\n"
	".endr\n");
/* clang-format on */

static uint64_t end_ns;

KNOWN_FRAME void spin_rows(void)
{
	for (unsigned i = 0; i < 300000; i++)
		__asm__ volatile("" : "+r"(i));
}

KNOWN_FRAME void middle(void)
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
