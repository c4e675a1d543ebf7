// SPDX-License-Identifier: BSD-2-Clause
/* What an event's own count says of samples that never came. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/perf_event.h>

#include "probe/witness.h"

static const uint64_t MS = 1000000;

/* How many samples that is, if all of it was lost at once. */
static uint64_t samples_of(const struct witness_figures *f, uint64_t missing)
{
	struct witness_tally t = {};

	witness__tally(&t, f, missing);
	assert_int_equal(t.in_unit, missing);
	return t.samples;
}

/* 1000 counted in periods of 100: the tenth is complete, so that ten samples were due. */
static void whole_periods_without_a_sample_are_missing(void **state)
{
	struct witness_figures f = {
		.fired = { .samples = 10, .periods = 1000, .longest = 100, .last = 100 },
		.counted = 1000,
		.openings = 1,
		.period = 100,
	};

	(void)state;
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 0);
	f.counted = 1099; /* the eleventh is under way */
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 0);
	f.counted = 1100;
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 100);
	f.counted = 1399;
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 300);
	assert_int_equal(samples_of(&f, 300), 3);
}

/* None came at all: the period that was asked for tells how many were due. */
static void all_may_be_missing(void **state)
{
	const struct witness_figures f = { .counted = 250, .openings = 1, .period = 100 };

	(void)state;
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 200);
	assert_int_equal(samples_of(&f, 200), 2);
}

/* A CPU that went in the middle of a period and came back: two periods are unfinished. */
static void each_opening_may_leave_a_part(void **state)
{
	struct witness_figures f = {
		.fired = { .samples = 10, .periods = 1000, .longest = 100, .last = 100 },
		.counted = 1198,
		.openings = 2,
		.period = 100,
	};

	(void)state;
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 0);
	f.counted = 1200; /* two parts are less than that */
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 100);
	f.openings = 0; /* was never open */
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 0);
}

/* Frequency: what is under way may be as long as any, and what was given up is no loss of ours. */
static void frequencies_have_periods_of_any_length(void **state)
{
	struct witness_figures f = {
		.fired = { .samples = 10, .periods = 10000, .longest = 3000, .last = 1000 },
		.counted = 16000,
		.openings = 1,
		.hz = 99,
	};

	(void)state;
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 0);
	f.counted = 20000;
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 4000);
	assert_int_equal(samples_of(&f, 4000), 4); /* of 1000 */
	f.fired.restarts = 3500;
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 500);
	assert_int_equal(samples_of(&f, 500), 1);
	f.fired = (struct sample_fired){};
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 0);
}

/* 12 ms after the start, as seen on a CPU of 1 GHz; and a second, of which a tenth is missing. */
static void a_frequency_begins_with_short_periods(void **state)
{
	struct witness_figures f = {
		.fired = { .samples = 5, .periods = 74162, .longest = 70000, .last = 70000 },
		.counted = 11867516,
		.running_ns = 11867516,
		.openings = 1,
		.hz = 100,
	};

	(void)state;
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 0);
	f.fired = (struct sample_fired){ .samples = 67000,
					 .periods = 900000000,
					 .longest = 10000000 };
	f.counted = f.running_ns = 1000000000;
	assert_int_equal(witness__missing(WITNESS_COUNT, &f), 80000000);
	assert_int_equal(samples_of(&f, 80000000), 8);
}

/* 2 s busy at 1000 Hz, 1900 samples: 100 ms are more than 40 ms, a period and 1/64 of 2 s. */
static void clocks_are_held_against_busy_time(void **state)
{
	struct witness_figures f = {
		.fired = { .samples = 5000,
			   .periods = 5000 * MS,
			   .busy = 1900 * MS,
			   .last = MS,
			   .longest = MS },
		.counted = 9000 * MS, /* goes on while idle: says nothing */
		.busy_ns = 2000 * MS,
		.openings = 1,
		.hz = 1000,
	};

	(void)state;
	assert_int_equal(witness__missing(WITNESS_BUSY, &f), 100 * MS);
	assert_int_equal(samples_of(&f, 100 * MS), 100);
	f.counted = 5050 * MS; /* 50 ms are all that its samples leave */
	assert_int_equal(witness__missing(WITNESS_BUSY, &f), 0);
	f.counted = 5090 * MS;
	assert_int_equal(witness__missing(WITNESS_BUSY, &f), 90 * MS);
	f.counted = 9000 * MS;
	f.fired.busy = 1930 * MS; /* 70 ms of 72.25 that may be chance */
	assert_int_equal(witness__missing(WITNESS_BUSY, &f), 0);
	f.fired.busy = 2100 * MS;
	assert_int_equal(witness__missing(WITNESS_BUSY, &f), 0);
	f.fired = (struct sample_fired){}; /* its timer was never heard of */
	assert_int_equal(witness__missing(WITNESS_BUSY, &f), 2000 * MS);
	assert_int_equal(witness__missing(WITNESS_NONE, &f), 0);
}

/* 2 s in periods of a second, the second of which is under way: it may be longer than the last. */
static void a_period_under_way_is_no_loss_at_a_lower_rate(void **state)
{
	struct witness_figures f = {
		.fired = { .samples = 101,
			   .periods = 1010 * MS,
			   .busy = 1010 * MS,
			   .last = 10 * MS },
		.counted = 1990 * MS,
		.busy_ns = 1990 * MS,
		.openings = 2,
		.hz = 1,
	};

	(void)state;
	assert_true(witness__missing(WITNESS_BUSY, &f) > 0);
	f.slowest_ns = 1000 * MS;
	assert_int_equal(witness__missing(WITNESS_BUSY, &f), 0);
}

/* Ten seconds at 99 Hz are 990 samples, also when there is one a second since. */
static void losses_stay_when_rates_change(void **state)
{
	struct witness_figures f = { .period = 10 * MS };
	struct witness_tally t = {};

	(void)state;
	witness__tally(&t, &f, 4 * MS);
	assert_int_equal(t.samples, 1); /* not known is not none */
	witness__tally(&t, &f, 10 * MS);
	assert_int_equal(t.samples, 1);
	witness__tally(&t, &f, 9904 * MS);
	assert_int_equal(t.samples, 990);
	f.period = 1000 * MS;
	witness__tally(&t, &f, 9950 * MS);
	assert_int_equal(t.samples, 990);
	witness__tally(&t, &f, 12000 * MS);
	assert_int_equal(t.samples, 992);
	witness__tally(&t, &f, 5 * MS);
	assert_int_equal(t.samples, 992);
	assert_int_equal(t.in_unit, 12000 * MS);
	f.period = 10 * MS;
	witness__tally(&t, &f, 12100 * MS);
	assert_in_range(t.samples, 1002, 1012);
}

static void clocks_of_one_mode_have_no_witness(void **state)
{
	struct perf_event_spec ev = {
		.attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK },
	};

	(void)state;
	assert_int_equal(witness__kind(&ev), WITNESS_BUSY);
	ev.attr.exclude_kernel = 1;
	assert_int_equal(witness__kind(&ev), WITNESS_NONE);
	ev.attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	assert_int_equal(witness__kind(&ev), WITNESS_COUNT);
	ev.attr.type = PERF_TYPE_HARDWARE;
	ev.attr.config = PERF_COUNT_SW_CPU_CLOCK; /* cycles */
	assert_int_equal(witness__kind(&ev), WITNESS_COUNT);
}

/* Three sums are rounded down to 10 ms: 30 ms may be chance, and a 64th. */
static void time_of_tasks_beyond_that_of_ticks_had_none(void **state)
{
	(void)state;
	assert_int_equal(witness__without_tick(640 * MS, 600 * MS), 0);
	assert_int_equal(witness__without_tick(640 * MS, 599 * MS), 41 * MS);
	assert_int_equal(witness__without_tick(5000 * MS, 0), 5000 * MS);
	assert_int_equal(witness__without_tick(1000 * MS, 1004 * MS), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_periods_without_a_sample_are_missing),
		cmocka_unit_test(all_may_be_missing),
		cmocka_unit_test(each_opening_may_leave_a_part),
		cmocka_unit_test(frequencies_have_periods_of_any_length),
		cmocka_unit_test(a_frequency_begins_with_short_periods),
		cmocka_unit_test(clocks_are_held_against_busy_time),
		cmocka_unit_test(a_period_under_way_is_no_loss_at_a_lower_rate),
		cmocka_unit_test(losses_stay_when_rates_change),
		cmocka_unit_test(clocks_of_one_mode_have_no_witness),
		cmocka_unit_test(time_of_tasks_beyond_that_of_ticks_had_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
