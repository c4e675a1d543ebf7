// SPDX-License-Identifier: BSD-2-Clause
#include "countings.h"

#include "model/repeats.h"

/* Two events, some seconds long; its command used as many on CPUs. */
static struct counts *new_run(enum counts_by by, uint64_t seconds)
{
	struct counts *c = new_counts(by);

	add_counter(c, "cycles", ROLE_CYCLES, COUNTS_NO_GROUP);
	add_counter(c, "page-faults", ROLE_NONE, COUNTS_NO_GROUP);
	c->duration_ns = seconds * 1000000000;
	c->user_ns = seconds * 500000000;
	c->system_ns = seconds * 200000000;
	return c;
}

static void add_run(struct repeats *r, uint64_t seconds, struct event_count a, struct event_count b)
{
	struct counts *c = new_run(COUNTS_BY_NOTHING, seconds);

	SET_VALUES(c, a, b);
	assert_int_equal(repeats__add(r, c), 0);
}

static void all_numbers_are_means(void **state)
{
	struct repeats r = {};
	const struct event_count *v;

	/* 100 in half of the time: 200. 40 in a quarter: 160. 120 all the time. */
	add_run(&r, 1, part(100, 50), counted(10));
	add_run(&r, 2, part(40, 25), counted(10));
	add_run(&r, 6, counted(120), counted(14));
	assert_int_equal(r.nr, 3);
	repeats__finish(&r);
	v = r.sum->totals;
	assert_int_equal(r.sum->runs[0].n, 3);
	assert_near(r.sum->runs[0].mean, 160, 1e-9);
	assert_int_equal(v[0].value, 160);
	assert_int_equal(v[0].raw, 87); /* 260 / 3 = 86.7 */
	assert_int_equal(v[0].enabled_ns, 1000000000);
	assert_int_equal(v[0].running_ns, 583333333);
	assert_int_equal(v[1].value, 11); /* 34 / 3 = 11.3 */
	assert_near(r.sum->runs[1].mean, 34.0 / 3, 1e-9);
	assert_int_equal(r.sum->duration_ns, 3000000000);
	assert_near(r.sum->runs[2].mean, 3, 1e-9);
	assert_int_equal(r.sum->user_ns, 1500000000);
	assert_int_equal(r.sum->system_ns, 600000000);
	repeats__free(&r);
}

static void one_bad_run_is_not_forgotten(void **state)
{
	struct repeats r = {};
	const struct event_count *v;

	/* The last run is without a flaw; before, one was multiplexed and one had no counter. */
	add_run(&r, 1, part(50, 50), part(0, 0));
	add_run(&r, 1, counted(300), counted(8));
	repeats__finish(&r);
	v = r.sum->totals;
	assert_int_equal(v[0].state, COUNT_MULTIPLEXED);
	assert_int_equal(v[0].value, 200);
	/* 8 in the one run where it was counted, which is half of the time */
	assert_int_equal(v[1].state, COUNT_MULTIPLEXED);
	assert_int_equal(r.sum->runs[1].n, 1);
	assert_int_equal(v[1].value, 8);
	assert_int_equal(v[1].raw, 8);
	assert_int_equal(v[1].enabled_ns, 1000000000);
	assert_int_equal(v[1].running_ns, 500000000);
	assert_true(counts__is_partial(r.sum));
	repeats__free(&r);
}

static void without_any_value_there_is_none(void **state)
{
	struct repeats r = {};

	add_run(&r, 1, absent(COUNT_NOT_SUPPORTED), counted(0));
	add_run(&r, 1, absent(COUNT_NOT_SUPPORTED), counted(1));
	repeats__finish(&r);
	assert_int_equal(r.sum->totals[0].state, COUNT_NOT_SUPPORTED);
	assert_int_equal(r.sum->runs[0].n, 0);
	assert_near(r.sum->runs[1].mean, 0.5, 1e-9);
	repeats__free(&r);
}

static void rows_are_means_too(void **state)
{
	struct repeats r = {};
	struct counts *c;

	c = new_run(COUNTS_BY_CPU, 1);
	ADD_VALUES(c, of_cpu(0), counted(100), counted(1));
	ADD_VALUES(c, of_cpu(3), counted(20), counted(3));
	counts__finish(c);
	assert_int_equal(repeats__add(&r, c), 0);
	/* This time it was on CPUs 1 and 3, and never on 0. */
	c = new_run(COUNTS_BY_CPU, 1);
	ADD_VALUES(c, of_cpu(0), absent(COUNT_NOT_COUNTED), absent(COUNT_NOT_COUNTED));
	ADD_VALUES(c, of_cpu(1), counted(6), counted(5));
	ADD_VALUES(c, of_cpu(3), counted(40), counted(5));
	counts__finish(c);
	assert_int_equal(repeats__add(&r, c), 0);
	repeats__finish(&r);
	assert_int_equal(r.sum->nr_rows, 3);
	assert_int_equal(r.sum->rows[0].key.cpu, 0);
	assert_int_equal(r.sum->rows[0].values[0].value, 50);
	assert_int_equal(r.sum->rows[0].values[0].state, COUNT_COUNTED);
	assert_int_equal(r.sum->rows[1].key.cpu, 3);
	assert_int_equal(r.sum->rows[1].values[0].value, 30);
	assert_int_equal(r.sum->rows[1].values[1].value, 4);
	assert_int_equal(r.sum->rows[2].key.cpu, 1);
	assert_int_equal(r.sum->rows[2].values[0].value, 3);
	/* and add up to the mean of the totals, 120 and 46 */
	assert_int_equal(r.sum->totals[0].value, 83);
	repeats__free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_numbers_are_means),
		cmocka_unit_test(one_bad_run_is_not_forgotten),
		cmocka_unit_test(without_any_value_there_is_none),
		cmocka_unit_test(rows_are_means_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
