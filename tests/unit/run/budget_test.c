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
	bool is_user;	 /* it is processes that use it, not programs */
	uint64_t now_ns;
	struct budget_used used;
	size_t nr, nr_changes;
	double each[SECONDS_MAX]; /* ns, of each second */
};

static void begin(struct run *r, const enum budget_kind *kinds, const double *costs, size_t nr)
{
	*r = (struct run){ .load = 1, .now_ns = 12345 };
	budget__init(&r->b, SHARE);
	r->used = (struct budget_used){ 777, 888 };
	budget__start(&r->b, r->now_ns, r->used);
	for (size_t i = 0; i < nr; i++)
		budget__add(&r->b, kinds[i]);
	for (size_t i = 0; i <= nr; i++)
		r->costs[i] = costs[i];
}

static void go_on(struct run *r, unsigned seconds)
{
	while (seconds--) {
		const double used = r->costs[r->b.level] * r->load * (double)SECOND;

		assert_in_range(r->nr, 0, SECONDS_MAX - 1);
		r->each[r->nr++] = used + r->burst_ns;
		r->now_ns += SECOND;
		*(r->is_user ? &r->used.user_ns : &r->used.programs_ns) += (uint64_t)used;
		r->used.user_ns += (uint64_t)r->burst_ns;
		r->burst_ns = 0;
		r->nr_changes += budget__look(&r->b, r->now_ns, r->used);
	}
}

/* Of the budget, in the @seconds up to now. */
static double part_used(const struct run *r, unsigned seconds)
{
	double sum = 0;

	for (size_t i = r->nr - seconds; i < r->nr; i++)
		sum += r->each[i];
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
	r.burst_ns = 0.2 * (double)SECOND; /* of the 300 ms that are saved */
	go_on(&r, 60);
	assert_int_equal(r.nr_changes, 0);
	r.burst_ns = 1.5 * (double)SECOND;
	go_on(&r, 600);
	assert_int_equal(r.b.level, 0);
	assert_true(part_used(&r, 600) < 1);
}

/* Nor is there a pause for what no step makes less: readers are at work on what they have begun. */
static void awaits_what_a_step_does(void **state)
{
	static const double costs[] = { 0.02, 0.004, 0.002, 0.001, 0.001, 0.001, 0 };
	struct run r;

	(void)state;
	begin(&r, sampling, costs, ARRAY_SIZE(sampling));
	r.is_user = true;
	for (unsigned i = 0; i < 8; i++) {
		r.burst_ns = 0.1 * (double)SECOND;
		go_on(&r, 1);
	}
	assert_true(budget__taken(&r.b, BUDGET_RATE) > 0);
	assert_int_equal(budget__taken(&r.b, BUDGET_PAUSE), 0);
	go_on(&r, 900);
	assert_true(part_used(&r, 900) < 1);
}

/* What was learnt of a step is not tried again; what changes all the time is tried rarely. */
static void does_not_swing(void **state)
{
	static const double costs[] = { 0.02, 0.004 };
	static const enum budget_kind one[] = { BUDGET_KEYS };
	struct run r;

	(void)state;
	begin(&r, one, costs, 1);
	go_on(&r, 3600);
	assert_int_equal(r.nr_changes, 1);
	begin(&r, one, costs, 1);
	for (unsigned i = 0; i < 180; i++) {
		r.load = i % 2 ? 0.4 : 1;
		go_on(&r, 20);
	}
	assert_true(part_used(&r, 3600) < 1);
	assert_in_range(r.nr_changes, 3, 40);
}

/* Time that goes back, as where a process was there twice, is no time that was saved. */
static void takes_sums_that_shrink(void **state)
{
	struct budget b;

	(void)state;
	budget__init(&b, SHARE);
	budget__add(&b, BUDGET_RATE);
	budget__start(&b, 0, (struct budget_used){ 0, 100 * SECOND });
	assert_false(budget__look(&b, SECOND, (struct budget_used){ 0, 0 }));
	assert_true(b.used == 0);
	assert_false(budget__look(&b, 2 * SECOND, (struct budget_used){ 0, 100 * SECOND }));
	assert_true(b.used == 0);
	assert_true(budget__look(&b, 3 * SECOND, (struct budget_used){ 0, 101 * SECOND }));
	assert_int_equal(b.level, 1);
	/* Nothing is looked at more often than it can be told. */
	assert_false(budget__look(&b, 3 * SECOND + SECOND / 10,
				  (struct budget_used){ 0, 200 * SECOND }));
}

/*
 * Any costs that become less from level to level, any load that changes: over twenty minutes no
 * more than the budget is used, but for the first seconds, what is saved and what a second brings.
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
		r.is_user = seed % 2;
		for (unsigned i = 0; i < 20; i++) {
			r.load = (rand_r(&random) % 100) / 50.0;
			go_on(&r, 60);
		}
		/* What is saved may be used up as well, and each minute has another load. */
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
		cmocka_unit_test(awaits_what_a_step_does),
		cmocka_unit_test(does_not_swing),
		cmocka_unit_test(takes_sums_that_shrink),
		cmocka_unit_test(keeps_any_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
