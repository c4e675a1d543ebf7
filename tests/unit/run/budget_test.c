// SPDX-License-Identifier: BSD-2-Clause
/*
 * A budget against a machine that is calculated: what each level costs is known here, and what was
 * used is added up by the test, over its own spans of time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/array.h"
#include "run/budget.h"

static const uint64_t SECOND = 1000000000;
static const double SHARE = 0.01;

enum { SECONDS_MAX = 7200 };

/* Costs as a share of a CPU; levels beyond the last one cost the same. */
struct run {
	struct budget b;
	double costs[16];
	double load;	 /* that all costs are multiplied with */
	double burst_ns; /* used in the next second besides */
	uint64_t now_ns, used_ns;
	size_t nr, nr_changes;
	double used[SECONDS_MAX]; /* ns, of each second */
};

static void begin(struct run *r, const enum budget_kind *kinds, const double *costs, size_t nr)
{
	*r = (struct run){ .load = 1, .now_ns = 12345 };
	budget__begin(&r->b, SHARE, r->now_ns, 777);
	r->used_ns = 777;
	for (size_t i = 0; i < nr; i++)
		budget__add(&r->b, kinds[i]);
	for (size_t i = 0; i <= nr; i++)
		r->costs[i] = costs[i];
}

static void go_on(struct run *r, unsigned seconds)
{
	while (seconds--) {
		const double used = r->costs[r->b.level] * r->load * (double)SECOND + r->burst_ns;

		r->burst_ns = 0;
		assert_in_range(r->nr, 0, SECONDS_MAX - 1);
		r->used[r->nr++] = used;
		r->now_ns += SECOND;
		r->used_ns += (uint64_t)used;
		r->nr_changes += budget__look(&r->b, r->now_ns, r->used_ns);
	}
}

/* Of the budget, in the @seconds up to now. */
static double part_used(const struct run *r, unsigned seconds)
{
	double sum = 0;

	for (size_t i = r->nr - seconds; i < r->nr; i++)
		sum += r->used[i];
	return sum / seconds / (double)SECOND / SHARE;
}

static const enum budget_kind sampling[] = { BUDGET_RATE, BUDGET_RATE,	 BUDGET_RATE,
					     BUDGET_KEYS, BUDGET_EVENTS, BUDGET_PAUSE };

static void leaves_alone_what_fits(void **state)
{
	static const double costs[] = { 0.009, 0.005, 0.003, 0.002, 0.001, 0.001, 0 };
	struct run r;

	(void)state;
	begin(&r, sampling, costs, ARRAY_SIZE(sampling));
	go_on(&r, 600);
	assert_int_equal(r.b.level, 0);
	assert_int_equal(r.nr_changes, 0);
}

/* 8 % are asked for where 1 % is allowed: three halves do it, at once. */
static void halves_rates_as_often_as_it_takes(void **state)
{
	static const double costs[] = { 0.07, 0.035, 0.0175, 0.00875, 0.004, 0.002, 0 };
	struct run r;

	(void)state;
	begin(&r, sampling, costs, ARRAY_SIZE(sampling));
	go_on(&r, 3);
	assert_int_equal(r.b.level, 3);
	assert_int_equal(budget__taken(&r.b, BUDGET_RATE), 3);
	assert_int_equal(budget__taken(&r.b, BUDGET_KEYS), 0);
	assert_int_equal(r.b.nr_down, 3);
	assert_int_equal(r.nr_changes, 1);
	go_on(&r, 1000);
	assert_int_equal(r.b.level, 3);
	assert_int_equal(r.nr_changes, 1);
	assert_true(part_used(&r, 900) < 1);
	assert_true(part_used(&r, 900) > 0.8);
}

/* Rates do not help: what is counted at each switch is dropped, one after the other. */
static void goes_on_to_keys_and_events(void **state)
{
	static const double costs[] = { 0.03, 0.03, 0.03, 0.03, 0.02, 0.008, 0 };
	struct run r;

	(void)state;
	begin(&r, sampling, costs, ARRAY_SIZE(sampling));
	go_on(&r, 30);
	assert_int_equal(r.b.level, 5);
	assert_int_equal(budget__taken(&r.b, BUDGET_EVENTS), 1);
	assert_int_equal(budget__taken(&r.b, BUDGET_PAUSE), 0);
	go_on(&r, 3600);
	assert_true(part_used(&r, 3600) < 1);
	/* The event costs 2.5 times as much with the other: that was learnt, and is not tried. */
	assert_int_equal(r.b.level, 5);
	assert_in_range(r.nr_changes, 1, 5);
}

/* What is left costs more than is allowed: it measures some of the time. */
static void pauses_as_the_last_resort(void **state)
{
	static const double costs[] = { 0.1, 0.1, 0.1, 0.1, 0.05, 0.04, 0.0001 };
	struct run r;

	(void)state;
	begin(&r, sampling, costs, ARRAY_SIZE(sampling));
	go_on(&r, 900);
	assert_true(part_used(&r, 600) < 1.01);
	assert_true(part_used(&r, 600) > 0.7);
}

static void comes_back_when_there_is_room(void **state)
{
	static const double costs[] = { 0.07, 0.035, 0.0175, 0.00875, 0.004, 0.002, 0 };
	struct run r;

	(void)state;
	begin(&r, sampling, costs, ARRAY_SIZE(sampling));
	go_on(&r, 60);
	assert_int_equal(r.b.level, 3);
	r.load = 0.1;
	go_on(&r, 60);
	assert_int_equal(r.b.level, 0);
	assert_int_equal(r.b.nr_up, 3);
	r.load = 1;
	go_on(&r, 60);
	assert_int_equal(r.b.level, 3);
	go_on(&r, 60);
	assert_true(part_used(&r, 100) < 1);
}

/* A new program's symbols are read: once, for half a second. */
static void forgives_what_is_rare(void **state)
{
	static const double costs[] = { 0.002, 0.001, 0.0005, 0.0002, 0.0001, 0.0001, 0 };
	struct run r;

	(void)state;
	begin(&r, sampling, costs, ARRAY_SIZE(sampling));
	go_on(&r, 60);
	r.burst_ns = 0.05 * (double)SECOND; /* of the 100 ms that are saved */
	go_on(&r, 60);
	assert_int_equal(r.nr_changes, 0);
	r.burst_ns = 0.5 * (double)SECOND;
	go_on(&r, 600);
	assert_int_equal(r.b.level, 0);
	assert_true(part_used(&r, 600) < 1);
}

/* The cost of a step that is taken back does not fit, whatever was learnt: tries become rare. */
static void does_not_swing(void **state)
{
	static const double costs[] = { 0.012, 0.004, 0, 0, 0, 0, 0 };
	static const enum budget_kind one[] = { BUDGET_RATE };
	struct run r;

	(void)state;
	begin(&r, one, costs, 1);
	go_on(&r, 3600);
	assert_true(part_used(&r, 3600) < 1);
	assert_in_range(r.nr_changes, 1, 30);
}

/* Time that goes back, as where a process was there twice, is no time that was saved. */
static void takes_sums_that_shrink(void **state)
{
	struct budget b;

	(void)state;
	budget__begin(&b, SHARE, 0, 100 * SECOND);
	budget__add(&b, BUDGET_RATE);
	assert_false(budget__look(&b, SECOND, 0));
	assert_true(b.used == 0);
	assert_false(budget__look(&b, 2 * SECOND, 100 * SECOND));
	assert_true(b.used == 0);
	assert_true(budget__look(&b, 3 * SECOND, 101 * SECOND));
	assert_int_equal(b.level, 1);
	/* Nothing is looked at more often than it can be told. */
	assert_false(budget__look(&b, 3 * SECOND + SECOND / 10, 200 * SECOND));
}

/*
 * Any costs that become less from level to level, any load that changes: over ten minutes no more
 * than the budget is used, but for the first seconds, what is saved and what a second brings.
 */
static void keeps_any_budget(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 300; seed++) {
		double costs[ARRAY_SIZE(sampling) + 1] = { 0 };
		unsigned random = seed * 7919;
		double cost = (rand_r(&random) % 1000) / 1000.0 * 0.2;
		struct run r;

		for (size_t i = 0; i < ARRAY_SIZE(sampling); i++) {
			costs[i] = cost;
			cost *= 0.3 + (rand_r(&random) % 700) / 1000.0;
		}
		begin(&r, sampling, costs, ARRAY_SIZE(sampling));
		for (unsigned i = 0; i < 20; i++) {
			r.load = (rand_r(&random) % 100) / 50.0;
			go_on(&r, 60);
		}
		/* 20 minutes: 2 s and 10 s are saved, a minute's load may be new. */
		if (part_used(&r, 1200) > 1.1)
			fail_msg("seed %u: %g of the budget", seed, part_used(&r, 1200));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_alone_what_fits),
		cmocka_unit_test(halves_rates_as_often_as_it_takes),
		cmocka_unit_test(goes_on_to_keys_and_events),
		cmocka_unit_test(pauses_as_the_last_resort),
		cmocka_unit_test(comes_back_when_there_is_room),
		cmocka_unit_test(forgives_what_is_rare),
		cmocka_unit_test(does_not_swing),
		cmocka_unit_test(takes_sums_that_shrink),
		cmocka_unit_test(keeps_any_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
