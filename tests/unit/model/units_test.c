// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/units.h"

/* One sum, with 10 samples in each unit. */
static void make(struct units *u, size_t nr, const float *sums)
{
	assert_int_equal(units__new(u, nr, 1), 0);
	u->in_time = true;
	for (size_t i = 0; i < nr; i++) {
		u->exposure[i] = 10;
		u->sums[i] = sums[i];
	}
}

static void sums_are_over_all_units(void **state)
{
	struct units u;

	make(&u, 3, (const float[]){ 1, 2, 4 });
	assert_true(units__sum(&u, 0) == 7);
	assert_true(units__exposure(&u) == 30);
	units__free(&u);
}

/*
 * 1 1 5 5 with a mean of 3: deviations -2 -2 2 2, products 4 - 4 + 4, squares 16: 1/4, and 1/4 more
 * for what four deviations from their own mean have less.
 */
static void neighbours_that_are_alike_are_seen(void **state)
{
	struct units u;

	make(&u, 4, (const float[]){ 1, 1, 5, 5 });
	assert_float_equal(units__autocorrelation(&u, 0), 0.5, 1e-9);
	/* The second pair is of another run: what is between them says nothing. */
	u.run[2] = u.run[3] = 1;
	assert_float_equal(units__autocorrelation(&u, 0), 0.75, 1e-9);
	units__free(&u);
}

static void neighbours_of_a_run_are_joined(void **state)
{
	float sums[48];
	struct units u;

	/* Four of this, four of that: a pair has one neighbour of its kind, and another one. */
	for (unsigned i = 0; i < 48; i++)
		sums[i] = i / 4 % 2 ? 9 : 1;
	make(&u, 48, sums);
	assert_true(units__are_dependent(&u, 8));
	units__join_dependent(&u, 8);
	assert_int_equal(u.nr, 24);
	assert_true(u.exposure[0] == 20);
	assert_true(u.sums[0] == 2);
	assert_true(u.sums[2] == 18);
	assert_true(units__sum(&u, 0) == 240);
	assert_false(units__are_dependent(&u, 8));
	units__free(&u);
}

static void an_odd_one_joins_the_pair_before_it(void **state)
{
	float sums[26];
	struct units u;

	/* 13 units a run: the first half is low, and the other one is high. */
	for (unsigned i = 0; i < 26; i++)
		sums[i] = i % 13 < 7 ? 1 : 9;
	make(&u, 26, sums);
	for (unsigned i = 13; i < 26; i++)
		u.run[i] = 1;
	units__join_dependent(&u, 8);
	assert_int_equal(u.nr, 6); /* 26, 12, 6 */
	assert_true(u.run[2] == 0 && u.run[3] == 1);
	assert_true(u.exposure[2] == 50); /* 2 pairs and the odd one: 4, 4, 5 */
	assert_true(u.exposure[5] == 50);
	assert_true(units__exposure(&u) == 260);
	units__free(&u);
}

/* What does not follow in time has no neighbours. */
static void threads_are_not_joined(void **state)
{
	float sums[48];
	struct units u;

	for (unsigned i = 0; i < 48; i++)
		sums[i] = i < 24 ? 9 : 1;
	make(&u, 48, sums);
	u.in_time = false;
	units__join_dependent(&u, 8);
	assert_int_equal(u.nr, 48);
	units__free(&u);
}

static void a_sum_that_never_differs_is_like_nothing(void **state)
{
	struct units u;

	make(&u, 4, (const float[]){ 5, 5, 5, 5 });
	assert_true(units__autocorrelation(&u, 0) == 0);
	assert_false(units__are_dependent(&u, 8));
	units__free(&u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_over_all_units),
		cmocka_unit_test(neighbours_that_are_alike_are_seen),
		cmocka_unit_test(neighbours_of_a_run_are_joined),
		cmocka_unit_test(an_odd_one_joins_the_pair_before_it),
		cmocka_unit_test(threads_are_not_joined),
		cmocka_unit_test(a_sum_that_never_differs_is_like_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
