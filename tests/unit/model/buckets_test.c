// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/buckets.h"

static const struct buckets log2_buckets = {};

static void assert_range(const struct buckets *b, int64_t n, int64_t from, int64_t to)
{
	struct bucket r = buckets__range(b, n);

	assert_int_equal(r.from, from);
	assert_int_equal(r.to, to);
	assert_false(r.open_below);
	assert_false(r.open_above);
}

static void assert_below(const struct buckets *b, int64_t n, int64_t to)
{
	struct bucket r = buckets__range(b, n);

	assert_true(r.open_below);
	assert_false(r.open_above);
	assert_int_equal(r.to, to);
}

static void assert_above(const struct buckets *b, int64_t n, int64_t from)
{
	struct bucket r = buckets__range(b, n);

	assert_false(r.open_below);
	assert_true(r.open_above);
	assert_int_equal(r.from, from);
}

static void powers_of_two_begin_with_nothing(void **state)
{
	(void)state;
	assert_range(&log2_buckets, 0, 0, 0);
	assert_range(&log2_buckets, 1, 1, 1);
	assert_range(&log2_buckets, 2, 2, 3);
	assert_range(&log2_buckets, 3, 4, 7);
	assert_range(&log2_buckets, 11, 1024, 2047);
	assert_range(&log2_buckets, 62, 2305843009213693952, 4611686018427387903);
}

static void powers_of_two_have_open_ends(void **state)
{
	(void)state;
	assert_below(&log2_buckets, -1, -1);
	assert_above(&log2_buckets, 63, 4611686018427387904);
}

static void steps_go_from_lo_to_below_hi(void **state)
{
	const struct buckets b = { .linear = true, .lo = 100, .hi = 500, .step = 100 };

	(void)state;
	assert_below(&b, -1, 99);
	assert_range(&b, 0, 100, 199);
	assert_range(&b, 3, 400, 499);
	assert_above(&b, 4, 500);
}

static void steps_may_begin_below_zero(void **state)
{
	const struct buckets b = { .linear = true, .lo = -10, .hi = 10, .step = 5 };

	(void)state;
	assert_below(&b, -1, -11);
	assert_range(&b, 0, -10, -6);
	assert_range(&b, 1, -5, -1);
	assert_range(&b, 2, 0, 4);
	assert_above(&b, 4, 10);
}

/* 9 has the number of what is 10 and above: 3. */
static void an_end_between_steps_joins_the_last(void **state)
{
	const struct buckets b = { .linear = true, .lo = 0, .hi = 10, .step = 3 };

	(void)state;
	assert_range(&b, 2, 6, 8);
	assert_above(&b, 3, 9);
}

static void steps_may_span_all_numbers(void **state)
{
	const struct buckets b = {
		.linear = true, .lo = INT64_MIN, .hi = INT64_MAX, .step = INT64_MAX
	};

	(void)state;
	assert_below(&b, -1, INT64_MIN);
	assert_range(&b, 0, INT64_MIN, -2);
	assert_range(&b, 1, -1, INT64_MAX - 2);
	assert_above(&b, 2, INT64_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(powers_of_two_begin_with_nothing),
		cmocka_unit_test(powers_of_two_have_open_ends),
		cmocka_unit_test(steps_go_from_lo_to_below_hi),
		cmocka_unit_test(steps_may_begin_below_zero),
		cmocka_unit_test(an_end_between_steps_joins_the_last),
		cmocka_unit_test(steps_may_span_all_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
