// SPDX-License-Identifier: BSD-2-Clause
/* Functions in any order, sorted: few of them, many, and some more behind many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unwind/described.h"

enum { CODE = 0x400000 };

/* Multiplied by an odd number, numbers below 2^16 come in another order, each of them once. */
static uint64_t scrambled(uint32_t i)
{
	return i * 40503u & 0xffff;
}

/*
 * Number @i starts at a place of its own, but for every 16th, which starts where another one does
 * and ends before it. Its row says which one it was.
 */
static void add(struct described_code *c, uint32_t i)
{
	const uint64_t place = scrambled(i % 16 ? i : i + 1), start = CODE + 256 * place;

	assert_int_equal(described__add_function(c, start, start + (i % 16 ? 200 : 100)), 0);
	assert_int_equal(described__add_row(c, 0, i), 0);
	c->functions[c->nr_functions - 1].nr = 1;
}

static void check_sorted(struct described_code *c)
{
	uint8_t *seen = calloc(c->nr_functions, 1);

	assert_non_null(seen);
	assert_int_equal(described__sort(c), 0);
	for (size_t i = 0; i < c->nr_functions; i++) {
		const struct described *f = &c->functions[i];
		const uint32_t number = c->rows[f->first].rule;

		assert_false(seen[number]);
		seen[number] = 1;
		assert_int_equal(f->start,
				 CODE + 256 * scrambled(number % 16 ? number : number + 1));
		assert_int_equal(f->end - f->start, number % 16 ? 200 : 100);
		if (i && f[-1].start == f->start)
			assert_true(f[-1].end < f->end);
		else if (i)
			assert_true(f[-1].start < f->start);
	}
	free(seen);
}

static void check_numbers(uint32_t nr, uint32_t more)
{
	struct described_code c = { .max_rows = 1 << 20 };
	uint32_t i;

	described__expect(&c, nr); /* it has more than that */
	for (i = 0; i < nr; i++)
		add(&c, i);
	check_sorted(&c);
	check_sorted(&c);
	for (; i < nr + more; i++)
		add(&c, i);
	check_sorted(&c);
	described__free(&c);
}

static void few_functions(void **state)
{
	(void)state;
	for (uint32_t nr = 0; nr < 100; nr++)
		check_numbers(nr, 3);
	check_numbers(4000, 3);
}

static void many_functions(void **state)
{
	(void)state;
	check_numbers(4096, 0);
	check_numbers(60000, 20);
	check_numbers(20000, 20000);
}

/* All in one place, and over all that there is. */
static void at_the_bounds_of_addresses(void **state)
{
	struct described_code c = { .max_rows = 1 << 20 };

	(void)state;
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(described__add_function(&c, CODE, CODE + 5000 - i), 0);
	assert_int_equal(described__add_function(&c, UINT64_MAX - 1, UINT64_MAX), 0);
	assert_int_equal(described__add_function(&c, 0, 1), 0);
	assert_int_equal(described__sort(&c), 0);
	assert_int_equal(c.functions[0].start, 0);
	assert_int_equal(c.functions[5001].start, UINT64_MAX - 1);
	for (uint32_t i = 1; i <= 5000; i++)
		assert_int_equal(c.functions[i].end, CODE + i);
	described__free(&c);
}

/* Two FDEs of one restorer: the second one is found to begin a byte earlier. */
static void a_start_that_moves_is_sorted(void **state)
{
	struct described_code c = { .max_rows = 1 << 20 };

	(void)state;
	assert_int_equal(described__add_function(&c, CODE, CODE + 9), 0);
	assert_int_equal(described__add_function(&c, CODE, CODE + 9), 0);
	described__begin_early(&c);
	assert_int_equal(described__add_function(&c, CODE + 20, CODE + 30), 0);
	assert_int_equal(described__sort(&c), 0);
	assert_int_equal(c.functions[0].start, CODE - 1);
	assert_int_equal(c.functions[1].start, CODE);
	assert_int_equal(c.functions[2].start, CODE + 20);
	described__free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_functions),
		cmocka_unit_test(many_functions),
		cmocka_unit_test(at_the_bounds_of_addresses),
		cmocka_unit_test(a_start_that_moves_is_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
