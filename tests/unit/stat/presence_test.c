// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "stat/presence.h"

static uint64_t time_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Returns how much of this thread's time it took. */
static uint64_t burn_on(int cpu, uint64_t ns)
{
	uint64_t start, now;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		skip(); /* this container has other CPUs */
	start = time_ns(CLOCK_THREAD_CPUTIME_ID);
	do
		now = time_ns(CLOCK_THREAD_CPUTIME_ID);
	while (now - start < ns);
	return now - start;
}

static void a_task_on_one_cpu_is_what_matters(void **state)
{
	assert_true(presence__matters(&(struct counter_place){ .pid = 0, .cpu = 0 }));
	assert_true(presence__matters(&(struct counter_place){ .pid = 7, .cpu = 3 }));
	assert_false(presence__matters(&(struct counter_place){ .pid = 7, .cpu = -1 }));
	assert_false(presence__matters(&(struct counter_place){ .pid = -1, .cpu = 0 }));
}

static void an_event_was_enabled_while_its_task_was_there(void **state)
{
	const struct perf_event_attr cycles = { .type = PERF_TYPE_HARDWARE };
	const struct perf_event_attr faults = { .type = PERF_TYPE_SOFTWARE };
	const struct counter_place alone = { 7, 0, -1 }, anywhere = { 7, -1, -1 };
	/* 4 ms of the task, of which it was 2 ms on the CPU of the place, and 1 ms on a counter. */
	const struct counter_value v = { .enabled_ns = 4000000, .running_ns = 1000000 };

	assert_int_equal(presence__enabled_ns(&v, &alone, &cycles, 2000000), 2000000);
	assert_int_equal(presence__enabled_ns(&v, &alone, &cycles, 1050000), 1000000);
	assert_int_equal(presence__enabled_ns(&v, &alone, &cycles, 0), 1000000);
	assert_int_equal(presence__enabled_ns(&v, &alone, &faults, 2000000), 1000000);
	assert_int_equal(presence__enabled_ns(&v, &anywhere, &cycles, 2000000), 4000000);
}

static void it_is_asked_for_where_it_is_needed(void **state)
{
	struct perf_event_spec specs[] = {
		{ .attr = { .type = PERF_TYPE_SOFTWARE } },
		{ .attr = { .type = PERF_TYPE_RAW } },
	};
	const struct counter_place at[] = { { -1, 0, -1 }, { 7, -1, -1 }, { 7, 0, -1 } };
	struct perf_events events = { .items = specs, .nr = 2 };
	struct counters_opts opts = { .events = &events, .places = at, .nr_places = 3 };

	assert_true(presence__is_needed(&opts));
	opts.nr_places = 2;
	assert_false(presence__is_needed(&opts));
	opts.nr_places = 3;
	events.nr = 1;
	assert_false(presence__is_needed(&opts));
}

static void the_time_on_each_cpu_is_told_apart(void **state)
{
	const struct counter_place at[] = { { 0, 0, -1 }, { 0, 1, -1 } };
	const struct counters_opts opts = {
		.places = at, .nr_places = 2, .user_only = true, .none = true
	};
	uint64_t first, second, ns, wall;
	struct presence *p;
	struct buf why = {};

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip();
	assert_int_equal(presence__open(&p, &opts, &why), 0);
	wall = time_ns(CLOCK_MONOTONIC);
	assert_int_equal(presence__start(p), 0);
	first = burn_on(0, 10000000);
	second = burn_on(1, 30000000);
	assert_int_equal(presence__stop(p), 0);
	wall = time_ns(CLOCK_MONOTONIC) - wall;
	burn_on(0, 20000000); /* nobody looks */

	/* What was burnt there, less what switches take, and never what was on the other. */
	assert_int_equal(presence__ns(p, 0, &ns), 0);
	assert_in_range(ns, first - first / 20, wall - second);
	assert_int_equal(presence__ns(p, 1, &ns), 0);
	assert_in_range(ns, second - second / 20, wall - first);
	presence__close(p);
	buf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_on_one_cpu_is_what_matters),
		cmocka_unit_test(an_event_was_enabled_while_its_task_was_there),
		cmocka_unit_test(it_is_asked_for_where_it_is_needed),
		cmocka_unit_test(the_time_on_each_cpu_is_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
