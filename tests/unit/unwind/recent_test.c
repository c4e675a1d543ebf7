// SPDX-License-Identifier: BSD-2-Clause
/* Where programs keep the rules that were found last: addresses seldom drive each other out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "unwind.wire.h"

static uint32_t below(uint32_t limit)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % limit;
}

/* How many of @nr functions' calls, so many bytes apart, find two others in their place. */
static uint32_t crowded(uint64_t first, uint32_t apart, uint32_t nr)
{
	static const uint32_t calls[] = { 0, 13, 20 };
	uint8_t in[UNWIND_RECENT_SETS] = {};
	uint32_t n = 0;

	for (uint32_t i = 0; i < 3 * nr; i++)
		in[UNWIND_RECENT_OF(first + i / 3 * apart + calls[i % 3])]++;
	for (uint32_t i = 0; i < UNWIND_RECENT_SETS; i++)
		n += in[i] > 2 ? in[i] : 0;
	return n;
}

/* Functions like each other lie as many bytes apart, each with three calls. In % of all of them. */
static uint32_t crowded_percent(uint32_t from, uint32_t to)
{
	uint32_t n = 0, all = 0;

	for (uint32_t apart = from; apart <= to; apart++) {
		for (uint32_t i = 0; i < 64; i++, all += 48)
			n += crowded(0x555555554000 + 4096ull * below(1 << 28), apart, 16);
	}
	return 100 * n / all;
}

/* By chance 1.5 % of 48 addresses would share one of 256 places with two others. */
static void functions_like_each_other(void **state)
{
	(void)state;
	assert_in_range(crowded_percent(32, 1024), 0, 4);
	/* As tests/prog/deepwl.c has them: by the product's upper bits alone it was 57 %. */
	assert_in_range(crowded_percent(122, 122), 0, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_like_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
