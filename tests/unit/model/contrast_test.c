// SPDX-License-Identifier: BSD-2-Clause
/* Differences with known truth: hand-computed ones, and simulated programs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/contrast.h"

enum { FUNCTIONS = 20, PAIRS = 100 };

static uint64_t state_of_chance;

/* 0 <= x < 1; xorshift64*, none of what contrast.c has. */
static double chance(void)
{
	state_of_chance ^= state_of_chance >> 12;
	state_of_chance ^= state_of_chance << 25;
	state_of_chance ^= state_of_chance >> 27;
	return (double)((state_of_chance * 0x2545f4914f6cdd1dull) >> 11) / 9007199254740992.0;
}

/* Normal, by the sum of twelve. */
static double deviation(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += chance();
	return sum;
}

/* A program whose functions have times that go up and down, each at its own pace. */
struct program {
	unsigned windows, per_window; /* samples */
	double memory;		      /* of one window for the one before: 0, none, to 1 */
	double burstiness;	      /* deviation of the logarithm of times */
	double slower;		      /* factor of function 1's time */
};

/* As the tally has it: 64 stretches of time, whose windows stand together. */
static void measure(struct units *u, const struct program *p)
{
	double level[FUNCTIONS], times[FUNCTIONS], sum, x;

	assert_int_equal(units__new(u, UNITS_AT_MOST, FUNCTIONS), 0);
	u->in_time = true;
	for (unsigned i = 0; i < FUNCTIONS; i++)
		level[i] = deviation();
	for (unsigned window = 0; window < p->windows; window++) {
		const unsigned unit = window * UNITS_AT_MOST / p->windows;

		sum = 0;
		for (unsigned i = 0; i < FUNCTIONS; i++) {
			level[i] = p->memory * level[i] +
				   sqrt(1 - p->memory * p->memory) * deviation();
			times[i] = exp(p->burstiness * level[i]) / (i + 1);
			times[i] *= i == 1 ? p->slower : 1;
			sum += times[i];
		}
		for (unsigned sample = 0; sample < p->per_window; sample++) {
			unsigned i = 0;

			for (x = chance() * sum; i < FUNCTIONS - 1 && x >= times[i]; i++)
				x -= times[i];
			u->sums[unit * FUNCTIONS + i]++;
			u->exposure[unit]++;
		}
	}
}

static bool is_found(const struct contrast *c, size_t i)
{
	const struct contrast_rate *r = &c->rates[i];

	return c->has_units && !r->is_dependent &&
	       fabs(r->rate[1] - r->rate[0]) > c->critical * contrast_rate__error(r, 1);
}

struct findings {
	unsigned pairs;	 /* with any */
	unsigned slower; /* in which function 1 is found, and is more */
};

static struct findings compare(const struct program *a, const struct program *b)
{
	const struct contrast_opts o = { .is_share = true, .grain = { 1, 1 } };
	struct findings found = {};

	state_of_chance = 1;
	for (unsigned pair = 0; pair < PAIRS; pair++) {
		struct units sides[2];
		struct contrast c;
		bool any = false;

		measure(&sides[0], a);
		measure(&sides[1], b);
		assert_int_equal(contrast__new(&c, sides, &o), 0);
		for (size_t i = 0; i < FUNCTIONS; i++)
			any |= is_found(&c, i);
		found.pairs += any;
		found.slower += is_found(&c, 1) && c.rates[1].rate[1] > c.rates[1].rate[0];
		contrast__free(&c);
		units__free(&sides[0]);
		units__free(&sides[1]);
	}
	return found;
}

/* Of the same program nothing is found: 95 of 100 times at least, however it behaves. */
static void the_same_load_has_no_finding(void **state)
{
	static const struct program programs[] = {
		{ 128, 20, 0, 0.3, 1 },	   /* steady */
		{ 256, 10, 0.5, 1, 1 },	   /* in bursts */
		{ 256, 10, 0.8, 0.7, 1 },  /* in bursts that last for some windows */
		{ 512, 10, 0.95, 0.7, 1 }, /* for 40 windows: a tenth of the run */
		{ 512, 10, 0.99, 0.7, 1 }, /* for 200 windows */
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		const struct findings found = compare(&programs[i], &programs[i]);

		print_message("%zu: %u of %u\n", i, found.pairs, PAIRS);
		assert_in_range(found.pairs, 0, 5);
	}
}

/* 5 minutes in windows of 50 ms. */
static void a_function_that_is_slower_is_found(void **state)
{
	const struct program a = { 6000, 20, 0.5, 0.3, 1 };
	struct program b = a;
	struct findings found;

	b.slower = 1.1;
	found = compare(&a, &b);
	print_message("found %u of %u\n", found.slower, PAIRS);
	assert_in_range(found.slower, 90, PAIRS);
}

/*
 * A: 2 4 4 6 of 10 each, 0.4, deviations -2 0 0 2 in 40: squares 8 / 1600, of which 4/3 is the
 * variance. Counting alone has 0.4 * 0.6 / 40 with B's the same: 0.006 is less than 0.00667.
 */
static void variances_are_those_of_units(void **state)
{
	const struct contrast_opts o = { .is_share = true, .grain = { 1, 1 } };
	const float sums[] = { 2, 4, 4, 6 };
	struct units sides[2];
	struct contrast c;

	for (int side = 0; side < 2; side++) {
		assert_int_equal(units__new(&sides[side], 4, 1), 0);
		for (int i = 0; i < 4; i++) {
			sides[side].exposure[i] = 10;
			sides[side].sums[i] = sums[i];
		}
	}
	assert_int_equal(contrast__new(&c, sides, &o), 0);
	assert_true(c.has_units);
	assert_float_equal(c.rates[0].rate[0], 0.4, 1e-6);
	assert_float_equal(c.rates[0].variance[0], 8.0 / 1600 * 4 / 3, 1e-6);
	assert_float_equal(contrast_rate__error(&c.rates[0], 1), sqrt(16.0 / 1600 * 4 / 3), 1e-6);
	assert_float_equal(contrast_rate__error(&c.rates[0], 2), sqrt(40.0 / 1600 * 4 / 3), 1e-6);
	contrast__free(&c);
	units__free(&sides[0]);
	units__free(&sides[1]);
}

/*
 * One unit a side is none: counting alone, 0.3 together, 0.3 * 0.7 / 100 each. Of two that are
 * tested each may be wrong in half a percent of cases: 2.807 standard errors.
 */
static void without_units_there_is_counting(void **state)
{
	const struct contrast_opts o = { .is_share = true, .grain = { 1, 1 } };
	struct units sides[2];
	struct contrast c;

	for (int side = 0; side < 2; side++) {
		assert_int_equal(units__new(&sides[side], 1, 2), 0);
		sides[side].exposure[0] = 100;
		sides[side].sums[0] = side ? 40 : 20;
		sides[side].sums[1] = side ? 60 : 80;
	}
	assert_int_equal(contrast__new(&c, sides, &o), 0);
	assert_false(c.has_units);
	assert_float_equal(c.rates[0].variance[0], 0.0021, 1e-6);
	assert_float_equal(c.rates[0].variance[1], 0.0021, 1e-6);
	assert_float_equal(c.critical, 2.807, 0.002);
	contrast__free(&c);
	units__free(&sides[0]);
	units__free(&sides[1]);
}

static void the_same_input_gives_the_same_result(void **state)
{
	const struct contrast_opts o = { .is_share = true, .grain = { 1, 1 } };
	const struct program p = { 256, 10, 0.5, 1, 1 };
	double critical[2];

	for (int i = 0; i < 2; i++) {
		struct units sides[2];
		struct contrast c;

		state_of_chance = 7;
		measure(&sides[0], &p);
		measure(&sides[1], &p);
		assert_int_equal(contrast__new(&c, sides, &o), 0);
		critical[i] = c.critical;
		contrast__free(&c);
		units__free(&sides[0]);
		units__free(&sides[1]);
	}
	assert_true(critical[0] == critical[1]);
	/* Of 20 independent normal ones it is 3.48 (0.99^(1/20), two-sided). */
	assert_in_range((unsigned)(critical[0] * 100), 300, 430);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_load_has_no_finding),
		cmocka_unit_test(a_function_that_is_slower_is_found),
		cmocka_unit_test(variances_are_those_of_units),
		cmocka_unit_test(without_units_there_is_counting),
		cmocka_unit_test(the_same_input_gives_the_same_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
