// SPDX-License-Identifier: BSD-2-Clause
#include "countings.h"

static void scales_in_more_than_64_bits_and_rounds_to_nearest(void **state)
{
	/* a quarter of the time */
	assert_int_equal(event_count__scale(25, 4000000, 1000000), 100);
	/* 10 * 2 / 3 = 6.67, 10 * 1 / 3 = 3.33, 5 / 2 = 2.5 */
	assert_int_equal(event_count__scale(10, 2, 3), 7);
	assert_int_equal(event_count__scale(10, 1, 3), 3);
	assert_int_equal(event_count__scale(5, 1, 2), 3);
	/* 2^53 + 1 times 3 is no double */
	assert_int_equal(event_count__scale((1ull << 53) + 1, 3000000000, 1000000000),
			 27021597764222979ull);
	/* what 64 bits hold just about: (2^63 - 1) * 2 */
	assert_int_equal(event_count__scale(UINT64_MAX / 2, 2000, 1000), UINT64_MAX - 1);
	assert_int_equal(event_count__scale(UINT64_MAX / 2, 3000, 1000), UINT64_MAX);
	assert_int_equal(event_count__scale(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_MAX);
	assert_int_equal(event_count__scale(UINT64_MAX, UINT64_MAX, 1), UINT64_MAX);
	assert_int_equal(event_count__scale(5, 10, 0), 0);
}

static void the_state_follows_from_the_times(void **state)
{
	struct event_count c = { .raw = 7, .enabled_ns = 10, .running_ns = 10 };

	event_count__settle(&c);
	assert_int_equal(c.state, COUNT_COUNTED);
	assert_int_equal(c.value, 7);
	c.running_ns = 4; /* 7 * 10 / 4 = 17.5 */
	event_count__settle(&c);
	assert_int_equal(c.state, COUNT_MULTIPLEXED);
	assert_int_equal(c.value, 18);
	c.running_ns = 0;
	event_count__settle(&c);
	assert_int_equal(c.state, COUNT_NOT_COUNTED);
	assert_false(event_count__has_value(&c));
	c.enabled_ns = 0; /* a cgroup that ran, without times */
	event_count__settle(&c);
	assert_int_equal(c.state, COUNT_COUNTED);
	assert_int_equal(c.value, 7);
	c.raw = 0; /* a thread that never ran */
	event_count__settle(&c);
	assert_int_equal(c.state, COUNT_NOT_COUNTED);
	/* read between two updates, running may be ahead: that is no share above 1 */
	c = (struct event_count){ .raw = 7, .enabled_ns = 10, .running_ns = 11 };
	event_count__settle(&c);
	assert_int_equal(c.state, COUNT_COUNTED);
	assert_int_equal(c.value, 7);
	assert_int_equal(c.running_ns, 10);
}

static void times_are_no_longer_than_they_can_be(void **state)
{
	/* Hours of a second: 2^64 ns less some are 584 years. */
	struct event_count c = { .raw = 7,
				 .enabled_ns = 7200000000000,
				 .running_ns = 7200000000000 };

	event_count__bound(&c, 1000000000);
	assert_int_equal(c.enabled_ns, 1000000000);
	assert_int_equal(c.running_ns, 1000000000);
	c = (struct event_count){ .raw = 7, .enabled_ns = UINT64_MAX - 5, .running_ns = 250000000 };
	event_count__bound(&c, 1000000000);
	assert_int_equal(c.enabled_ns, 1000000000);
	assert_int_equal(c.running_ns, 250000000);
	c = (struct event_count){ .raw = 7, .enabled_ns = 300, .running_ns = 400 };
	event_count__bound(&c, 1000000000);
	assert_int_equal(c.enabled_ns, 300);
	assert_int_equal(c.running_ns, 300);
}

static void check_since(struct event_count now, struct event_count *last, struct event_count since)
{
	event_count__since(&now, last);
	assert_int_equal(now.raw, since.raw);
	assert_int_equal(now.enabled_ns, since.enabled_ns);
	assert_int_equal(now.running_ns, since.running_ns);
}

static void differences_never_wrap(void **state)
{
	struct event_count last = {};
	struct event_count back = { .raw = 40, .enabled_ns = 90, .running_ns = 60 };

	check_since((struct event_count){ .raw = 10, .enabled_ns = 100, .running_ns = 50 }, &last,
		    (struct event_count){ .raw = 10, .enabled_ns = 100, .running_ns = 50 });
	/* Enabled went back by 10: neither time of the interval is known, the value is. */
	check_since(back, &last, (struct event_count){ .raw = 30 });
	event_count__since(&back,
			   &(struct event_count){ .raw = 10, .enabled_ns = 100, .running_ns = 50 });
	event_count__settle(&back);
	assert_int_equal(back.state, COUNT_COUNTED);
	assert_int_equal(back.value, 30);
	/* What was told before is not told again. */
	check_since((struct event_count){ .raw = 45, .enabled_ns = 130, .running_ns = 80 }, &last,
		    (struct event_count){ .raw = 5, .enabled_ns = 30, .running_ns = 20 });
	check_since((struct event_count){ .raw = 44, .enabled_ns = 130, .running_ns = 80 }, &last,
		    (struct event_count){});
}

static void check_added(struct event_count a, struct event_count b, struct event_count sum)
{
	event_count__add(&a, &b);
	assert_int_equal(a.state, sum.state);
	if (event_count__has_value(&a)) {
		assert_int_equal(a.raw, sum.raw);
		assert_int_equal(a.value, sum.value);
	}
	assert_int_equal(a.enabled_ns, sum.enabled_ns);
	assert_int_equal(a.running_ns, sum.running_ns);
}

static void check_sum(struct event_count a, struct event_count b, struct event_count sum)
{
	check_added(a, b, sum);
	check_added(b, a, sum);
}

static void sums_keep_values_and_the_worse_state(void **state)
{
	const struct event_count all = { 10, 10, 100, 100, COUNT_COUNTED };
	const struct event_count half = { 5, 10, 100, 50, COUNT_MULTIPLEXED };
	const struct event_count none = { 0, 0, 0, 0, COUNT_NOT_COUNTED };
	const struct event_count never = { 0, 0, 100, 0, COUNT_NOT_COUNTED };
	const struct event_count lacks = absent(COUNT_NOT_SUPPORTED);
	const struct event_count forbidden = absent(COUNT_NO_PERMISSION);

	check_sum(all, all, (struct event_count){ 20, 20, 200, 200, COUNT_COUNTED });
	check_sum(all, half, (struct event_count){ 15, 20, 200, 150, COUNT_MULTIPLEXED });
	check_sum(all, none, all);
	check_sum(all, lacks, all);
	check_sum(half, forbidden, half);
	/* Half of the time that was asked for is not in the sum. */
	check_sum(all, never, (struct event_count){ 10, 10, 200, 100, COUNT_MULTIPLEXED });
	check_sum(never, never, (struct event_count){ 0, 0, 200, 0, COUNT_NOT_COUNTED });
	check_sum(none, lacks, lacks);
	check_sum(lacks, forbidden, forbidden);
	check_sum((struct event_count){ UINT64_MAX, UINT64_MAX, 1, 1, COUNT_COUNTED }, all,
		  (struct event_count){ UINT64_MAX, UINT64_MAX, 101, 101, COUNT_COUNTED });
}

static void states_have_the_names_of_the_formats(void **state)
{
	assert_string_equal(count_state__name(COUNT_COUNTED), "counted");
	assert_string_equal(count_state__name(COUNT_MULTIPLEXED), "multiplexed");
	assert_string_equal(count_state__name(COUNT_NOT_COUNTED), "not-counted");
	assert_string_equal(count_state__name(COUNT_NOT_SUPPORTED), "not-supported");
	assert_string_equal(count_state__name(COUNT_NO_PERMISSION), "no-permission");
}

/* 2 4 4 4 5 5 7 9: mean 5, sum of squares 32, standard deviation sqrt(32 / 7). */
static void runs_have_mean_and_deviation(void **state)
{
	static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct counts_runs r = {}, far = {};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		counts_runs__add(&r, values[i]);
		counts_runs__add(&far, 1e12 + values[i]);
	}
	assert_int_equal(r.n, 8);
	assert_near(r.mean, 5, 1e-12);
	assert_near(counts_runs__stddev(&r), 2.138089935299395, 1e-12);
	/* t(0.975, 7) = 2.365: 2.365 * 2.13809 / sqrt(8) */
	assert_near(counts_runs__ci95(&r), 1.787769, 1e-5);
	/* The sum of squares would have lost these digits. */
	assert_near(far.mean, 1e12 + 5, 1e-3);
	assert_near(counts_runs__stddev(&far), 2.138089935299395, 1e-3);
}

static void one_run_has_no_deviation(void **state)
{
	struct counts_runs r = {};

	assert_near(counts_runs__ci95(&r), 0, 0);
	counts_runs__add(&r, 17);
	assert_near(r.mean, 17, 0);
	assert_near(counts_runs__stddev(&r), 0, 0);
	assert_near(counts_runs__ci95(&r), 0, 0);
}

/* n runs with deviation sqrt(n): the interval is t itself. */
static double t_of(unsigned n)
{
	const struct counts_runs r = { .n = n, .m2 = (double)n * (n - 1) };

	return counts_runs__ci95(&r);
}

/* Quantiles 0.975 as printed in tables of Student's t. */
static void intervals_are_of_student(void **state)
{
	static const double upto30[] = {
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201,	2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		2.080,	2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
	};

	for (unsigned df = 1; df <= 30; df++)
		assert_near(t_of(df + 1), upto30[df - 1], 1e-4);
	assert_near(t_of(41), 2.021, 6e-4);
	assert_near(t_of(51), 2.009, 6e-4);
	assert_near(t_of(61), 2.000, 6e-4);
	assert_near(t_of(101), 1.984, 6e-4);
	assert_near(t_of(121), 1.980, 6e-4);
	assert_near(t_of(1000001), 1.95996, 1e-5);
	for (unsigned n = 3; n < 50; n++)
		assert_true(t_of(n) < t_of(n - 1));
}

static void events_and_keys_are_copied_as_utf8(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_THREAD);
	char name[] = "cycles\xff", comm[] = "b\xffsh";
	struct counts_event e = { .name = name, .unit = "", .why = "no\xff" };
	struct counts_key key = { .comm = comm, .pid = 1 };
	struct counts_row *row;

	assert_int_equal(counts__event(c, &e), 0);
	assert_int_equal(counts__row(c, &key, &row), 0);
	name[0] = comm[0] = 'X';
	assert_string_equal(c->events[0].name, "cycles\xef\xbf\xbd");
	assert_string_equal(c->events[0].why, "no\xef\xbf\xbd");
	assert_string_equal(row->key.comm, "b\xef\xbf\xbdsh");
	assert_null(row->key.cgroup);
	assert_int_equal(row->values[0].state, COUNT_NOT_COUNTED);
	assert_string_equal(c->target, "");
	assert_int_equal(counts__set_target(c, "'ls\xff'"), 0);
	assert_string_equal(c->target, "'ls\xef\xbf\xbd'");
	counts__free(c);
	counts__free(NULL);
}

static void many_events_have_totals_and_runs(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);
	struct counts_row *row;

	for (int i = 0; i < 100; i++)
		add_counter(c, "faults", ROLE_NONE, COUNTS_NO_GROUP);
	assert_int_equal(counts__row(c, &(struct counts_key){}, &row), 0);
	for (int i = 0; i < 100; i++)
		row->values[i] = counted(i);
	counts__finish(c);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(c->totals[i].value, i);
		assert_int_equal(c->runs[i].n, 0);
	}
	assert_int_equal(c->runs[100].n, 0);
	counts__free(c);
}

/* CPUs of cores as they come: core 1, core 0, core 1 of socket 0, core 0 of socket 1. */
static void cpus_of_one_core_become_one_row(void **state)
{
	static const struct counts_key keys[] = {
		{ .cpu = 0, .core = 1, .nr_cpus = 1 },
		{ .cpu = 1, .core = 0, .nr_cpus = 1 },
		{ .cpu = 2, .core = 1, .nr_cpus = 1 },
		{ .cpu = 3, .core = 0, .socket = 1, .nr_cpus = 1 },
	};
	struct counts *c = new_counts(COUNTS_BY_CORE);

	add_counter(c, "cycles", ROLE_CYCLES, 0);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		ADD_VALUES(c, keys[i], counted(1 << i));
	counts__finish(c);
	assert_int_equal(c->nr_rows, 3);
	assert_int_equal(c->rows[0].key.core, 0);
	assert_int_equal(c->rows[0].values[0].value, 2);
	assert_int_equal(c->rows[0].key.nr_cpus, 1);
	assert_int_equal(c->rows[1].key.core, 1);
	assert_int_equal(c->rows[1].values[0].value, 1 + 4);
	assert_int_equal(c->rows[1].values[0].enabled_ns, 2000000000);
	assert_int_equal(c->rows[1].key.nr_cpus, 2);
	assert_int_equal(c->rows[2].key.socket, 1);
	assert_int_equal(c->rows[2].values[0].value, 8);
	assert_int_equal(c->totals[0].value, 15);
	counts__free(c);
}

static void rows_are_in_order_of_their_keys(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_CPU);

	add_counter(c, "cycles", ROLE_CYCLES, 0);
	ADD_VALUES(c, of_cpu(10), counted(3));
	ADD_VALUES(c, of_cpu(2), counted(9));
	counts__finish(c);
	assert_int_equal(c->rows[0].key.cpu, 2);
	assert_int_equal(c->rows[1].key.cpu, 10);
	counts__free(c);

	c = new_counts(COUNTS_BY_CGROUP);
	add_counter(c, "cycles", ROLE_CYCLES, 0);
	ADD_VALUES(c, of_cgroup("/web"), counted(3));
	ADD_VALUES(c, of_cgroup("/db"), counted(2));
	ADD_VALUES(c, of_cgroup("/web"), counted(1));
	counts__finish(c);
	assert_int_equal(c->nr_rows, 2);
	assert_string_equal(c->rows[0].key.cgroup, "/db");
	assert_string_equal(c->rows[1].key.cgroup, "/web");
	assert_int_equal(c->rows[1].values[0].value, 4);
	counts__free(c);
}

/* The first event is not there, so the second one decides. */
static void tasks_with_most_come_first(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_THREAD);
	const struct event_count lacks = absent(COUNT_NOT_SUPPORTED);

	add_counter(c, "cycles", ROLE_CYCLES, COUNTS_NO_GROUP);
	add_counter(c, "faults", ROLE_NONE, COUNTS_NO_GROUP);
	ADD_VALUES(c, task("idle", 3, 3), lacks, absent(COUNT_NOT_COUNTED));
	ADD_VALUES(c, task("few", 1, 1), lacks, counted(1));
	ADD_VALUES(c, task("same", 1, 2), lacks, counted(1));
	ADD_VALUES(c, task("most", 9, 9), lacks, counted(5));
	counts__finish(c);
	assert_string_equal(c->rows[0].key.comm, "most");
	assert_string_equal(c->rows[1].key.comm, "few");
	assert_string_equal(c->rows[2].key.comm, "same");
	assert_string_equal(c->rows[3].key.comm, "idle");
	assert_int_equal(c->totals[0].state, COUNT_NOT_SUPPORTED);
	assert_int_equal(c->totals[1].value, 7);
	counts__free(c);
}

static void a_cleared_run_starts_anew(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);

	add_counter(c, "faults", ROLE_NONE, COUNTS_NO_GROUP);
	SET_VALUES(c, counted(5));
	counts_runs__add(&c->runs[0], 5);
	counts__clear(c);
	assert_int_equal(c->nr_rows, 0);
	assert_int_equal(c->totals[0].state, COUNT_NOT_COUNTED);
	assert_int_equal(c->totals[0].value, 0);
	SET_VALUES(c, counted(8));
	assert_int_equal(c->totals[0].value, 8);
	assert_int_equal(c->runs[0].n, 1);
	assert_string_equal(c->events[0].name, "faults");
	counts__clear(c);
	counts__finish(c); /* an interval in which nothing was there */
	assert_int_equal(c->totals[0].state, COUNT_NOT_COUNTED);
	counts__free(c);
}

static bool is_partial(struct event_count a, struct event_count b)
{
	struct counts *c = new_counts(COUNTS_BY_CPU);
	bool partial;

	add_counter(c, "cycles", ROLE_CYCLES, 0);
	ADD_VALUES(c, of_cpu(0), a);
	ADD_VALUES(c, of_cpu(1), b);
	counts__finish(c);
	partial = counts__is_partial(c);
	counts__free(c);
	return partial;
}

static void strictness_sees_every_value(void **state)
{
	assert_false(is_partial(counted(1), counted(0)));
	assert_true(is_partial(counted(1), part(1, 50)));
	assert_true(is_partial(counted(1), part(0, 0)));
	assert_true(is_partial(counted(1), absent(COUNT_NOT_SUPPORTED)));
	assert_true(is_partial(absent(COUNT_NOT_COUNTED), absent(COUNT_NOT_COUNTED)));
	/* never enabled: that thread did not run */
	assert_false(is_partial(counted(1), absent(COUNT_NOT_COUNTED)));
}

/* 1 of 2 processes was refused: the sum is that of the other. */
static void what_a_total_lacks_is_a_flaw(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);
	char lacks[] = "1 of 2 processes \xff";
	struct counts_event e = { .name = "faults", .unit = "", .scale = 1, .lacks = lacks };

	assert_int_equal(counts__event(c, &e), 0);
	lacks[0] = 'X';
	SET_VALUES(c, counted(5));
	assert_true(counts__is_partial(c));
	assert_string_equal(counts__why(c, 0), "1 of 2 processes \xef\xbf\xbd");
	/* Without any value the reason for that is told first. */
	counts__clear(c);
	SET_VALUES(c, absent(COUNT_NOT_COUNTED));
	assert_string_equal(counts__why(c, 0), "1 of 2 processes \xef\xbf\xbd");
	assert_int_equal(counts__explain(c, 0, "no counter"), 0);
	assert_string_equal(counts__why(c, 0), "no counter");
	counts__free(c);

	c = new_counts(COUNTS_BY_NOTHING);
	add_counter(c, "faults", ROLE_NONE, COUNTS_NO_GROUP);
	assert_int_equal(counts__explain(c, 0, "no counter"), 0);
	SET_VALUES(c, counted(5));
	assert_false(counts__is_partial(c));
	assert_null(counts__why(c, 0));
	counts__free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scales_in_more_than_64_bits_and_rounds_to_nearest),
		cmocka_unit_test(the_state_follows_from_the_times),
		cmocka_unit_test(times_are_no_longer_than_they_can_be),
		cmocka_unit_test(differences_never_wrap),
		cmocka_unit_test(sums_keep_values_and_the_worse_state),
		cmocka_unit_test(states_have_the_names_of_the_formats),
		cmocka_unit_test(runs_have_mean_and_deviation),
		cmocka_unit_test(one_run_has_no_deviation),
		cmocka_unit_test(intervals_are_of_student),
		cmocka_unit_test(events_and_keys_are_copied_as_utf8),
		cmocka_unit_test(many_events_have_totals_and_runs),
		cmocka_unit_test(cpus_of_one_core_become_one_row),
		cmocka_unit_test(rows_are_in_order_of_their_keys),
		cmocka_unit_test(tasks_with_most_come_first),
		cmocka_unit_test(a_cleared_run_starts_anew),
		cmocka_unit_test(strictness_sees_every_value),
		cmocka_unit_test(what_a_total_lacks_is_a_flaw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
