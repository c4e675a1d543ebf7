// SPDX-License-Identifier: BSD-2-Clause
/* Extents: first fit, neighbours joined, against a map of bits. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/extents.h"
#include "any_number.h"

static void the_first_hole_that_fits(void **state)
{
	struct extents e;
	uint32_t a, b, c;

	(void)state;
	assert_int_equal(extents__init(&e, 10), 0);
	assert_int_equal(extents__take(&e, 4, &a), 0);
	assert_int_equal(extents__take(&e, 2, &b), 0);
	assert_int_equal(extents__take(&e, 4, &c), 0);
	assert_int_equal(a, 0);
	assert_int_equal(b, 4);
	assert_int_equal(c, 6);
	assert_int_equal(extents__take(&e, 1, &a), -ENOSPC);
	assert_int_equal(extents__take(&e, 0, &a), 0);
	assert_int_equal(extents__give(&e, 0, 4), 0);
	assert_int_equal(extents__give(&e, 6, 4), 0);
	assert_int_equal(extents__take(&e, 5, &a), -ENOSPC); /* two holes of 4 */
	assert_int_equal(extents__give(&e, 4, 2), 0);	     /* which is what lay between them */
	assert_int_equal(e.nr, 1);
	assert_int_equal(extents__take(&e, 10, &a), 0);
	assert_int_equal(a, 0);
	assert_int_equal(e.nr_free, 0);
	extents__end(&e);
}

/* What fits into one hole is taken from the first one that has it all, else from the largest. */
static void some_of_what_there_is(void **state)
{
	struct extents e;
	struct extent x;
	uint32_t a, b, c;

	(void)state;
	assert_int_equal(extents__init(&e, 20), 0);
	assert_int_equal(extents__take(&e, 3, &a), 0); /* holes of 3, 5 and 8 */
	assert_int_equal(extents__take(&e, 2, &b), 0);
	assert_int_equal(extents__take(&e, 5, &c), 0);
	assert_int_equal(extents__take(&e, 2, &b), 0);
	assert_int_equal(extents__give(&e, a, 3), 0);
	assert_int_equal(extents__give(&e, c, 5), 0);
	assert_int_equal(extents__take_some(&e, 9, 20, &x), -ENOSPC);
	assert_int_equal(x.nr, 0);
	assert_int_equal(extents__take_some(&e, 1, 4, &x), 0);
	assert_int_equal(x.first, 5);
	assert_int_equal(x.nr, 4);
	assert_int_equal(extents__take_some(&e, 2, 20, &x), 0);
	assert_int_equal(x.first, 12);
	assert_int_equal(x.nr, 8);
	assert_int_equal(extents__take_some(&e, 3, 3, &x), 0);
	assert_int_equal(x.first, 0);
	assert_int_equal(e.nr_free, 1);
	assert_int_equal(extents__take_some(&e, 1, 9, &x), 0);
	assert_int_equal(x.first, 9);
	assert_int_equal(extents__take_some(&e, 1, 1, &x), -ENOSPC);
	extents__end(&e);
}

/* 20,000 steps of a known sequence: no place is ever given out twice, and none gets lost. */
static void nothing_is_given_out_twice(void **state)
{
	enum { PLACES = 500, PARTS = 64, STEPS = 20000 };
	struct extent parts[PARTS] = {};
	bool taken[PLACES] = {};
	struct extents e;
	uint32_t nr_taken = 0;

	(void)state;
	assert_int_equal(extents__init(&e, PLACES), 0);
	for (int step = 0; step < STEPS; step++) {
		const uint64_t x = any_number();
		struct extent *p;

		p = &parts[x % PARTS];
		if (p->nr) {
			assert_int_equal(extents__give(&e, p->first, p->nr), 0);
			memset(&taken[p->first], 0, p->nr);
			nr_taken -= p->nr;
			p->nr = 0;
		} else if (!extents__take(&e, 1 + (x >> 32) % 20, &p->first)) {
			p->nr = 1 + (x >> 32) % 20;
			for (uint32_t i = p->first; i < p->first + p->nr; i++) {
				assert_true(i < PLACES && !taken[i]);
				taken[i] = true;
			}
			nr_taken += p->nr;
		}
		assert_int_equal(e.nr_free, PLACES - nr_taken);
	}
	for (int i = 0; i < PARTS; i++)
		assert_int_equal(extents__give(&e, parts[i].first, parts[i].nr), 0);
	assert_int_equal(e.nr, 1);
	assert_int_equal(e.free[0].nr, PLACES);
	extents__end(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_hole_that_fits),
		cmocka_unit_test(some_of_what_there_is),
		cmocka_unit_test(nothing_is_given_out_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
