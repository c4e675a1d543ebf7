// SPDX-License-Identifier: BSD-2-Clause
/*
 * many - fact: of its 100,000 functions it is in one, many_spin; the names of the others come to 8
 * MB.
 *
 * usage: many [-s SECONDS]
 *
 * SECONDS (default 1) is CPU time.
 */
#include "prog.h"

#define NAME "a_function_of_which_nobody_knows_more_than_that_its_name_is_long_and_ends_with_\\n"

__asm__(".text\n"
	".altmacro\n"
	".macro one n\n" NAME ":\n"
	".type " NAME ", STT_FUNC\n"
	"nop\n"
	".size " NAME ", 1\n"
	".endm\n"
	".set i, 0\n"
	".rept 100000\n"
	"one %i\n"
	".set i, i + 1\n"
	".endr\n"
	".noaltmacro\n");

KNOWN_FRAME void many_spin(uint64_t ns)
{
	burn_here(ns);
}

int main(int argc, char **argv)
{
	unsigned seconds = 1;
	int c;

	while ((c = getopt(argc, argv, "s:")) != -1) {
		if (c != 's')
			return 2;
		seconds = parse_number(optarg, 1, 1000000);
	}
	many_spin(seconds * NS_PER_SEC);
	return 0;
}
