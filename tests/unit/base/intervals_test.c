// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/intervals.h"

enum { START = 5000 };

static const uint64_t MS = 1000000;

/* How many boundaries a run has, looked at every millisecond from its start to @until. */
static unsigned boundaries(uint64_t length_ms, uint64_t duration_ms, uint64_t until_ms)
{
	struct intervals i;
	unsigned nr = 0;

	intervals__begin(&i, length_ms * MS, duration_ms * MS, START);
	for (uint64_t ms = 0; ms <= until_ms; ms++)
		if (intervals__due(&i, START + ms * MS)) {
			nr++;
			intervals__next(&i);
		}
	return nr;
}

/* 0.6 s in steps of 300 ms are two intervals: one boundary, and the end. */
static void what_divides_the_run_has_no_boundary_at_its_end(void **state)
{
	(void)state;
	assert_int_equal(boundaries(300, 600, 650), 1);
	assert_int_equal(boundaries(600, 600, 650), 0);
	assert_int_equal(boundaries(1000, 600, 1200), 0);
	assert_int_equal(boundaries(100, 1000, 1050), 9);
}

/* 0.7 s: two of 300 ms, and 100 ms that are left. */
static void the_rest_is_an_interval(void **state)
{
	(void)state;
	assert_int_equal(boundaries(300, 700, 750), 2);
	assert_int_equal(boundaries(300, 602, 650), 2);
}

static void without_an_end_they_go_on(void **state)
{
	(void)state;
	assert_int_equal(boundaries(300, 0, 3000), 10);
	assert_int_equal(boundaries(0, 600, 3000), 0);
}

static void waits_until_the_next(void **state)
{
	struct intervals i;

	(void)state;
	intervals__begin(&i, 300 * MS, 600 * MS, START);
	assert_int_equal(intervals__patience_ms(&i, START, 1000), 300);
	assert_int_equal(intervals__patience_ms(&i, START, 50), 50);
	assert_int_equal(intervals__patience_ms(&i, START + 299 * MS + 1, 1000), 1);
	assert_int_equal(intervals__patience_ms(&i, START + 300 * MS, 1000), 0);
	intervals__next(&i);
	assert_int_equal(intervals__patience_ms(&i, START + 400 * MS, 1000), 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_divides_the_run_has_no_boundary_at_its_end),
		cmocka_unit_test(the_rest_is_an_interval),
		cmocka_unit_test(without_an_end_they_go_on),
		cmocka_unit_test(waits_until_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
