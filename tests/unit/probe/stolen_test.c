// SPDX-License-Identifier: BSD-2-Clause
/*
 * A hypervisor takes a CPU, and the kernel accounts that when the CPU is back: no samples were lost
 * to the kernel in that time, whenever it is looked at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include <linux/perf_event.h>

#include "probe/sample_session.h"

static const uint64_t MS = 1000000;

/* A CPU that is always busy, and sampled each millisecond, but for two times: */
static uint64_t time_ns, naps_ns;
static uint64_t away_ns, back_ns;  /* a hypervisor has it */
static uint64_t missed_ns, due_ns; /* its timer does not come */

int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_nanosleep(const struct timespec *t, struct timespec *rest);
int __wrap_cputime__read(int fd, struct cputime *cpus, size_t nr);
int __wrap_sampler__read_cpu(struct sampler *s, size_t c);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	*t = (struct timespec){ .tv_sec = time_ns / (1000 * MS), .tv_nsec = time_ns % (1000 * MS) };
	return 0;
}

int __wrap_nanosleep(const struct timespec *t, struct timespec *rest)
{
	time_ns += t->tv_nsec;
	naps_ns += t->tv_nsec;
	return 0;
}

static uint64_t in_ticks(uint64_t ns)
{
	return ns / CPUTIME_TICK_NS * CPUTIME_TICK_NS;
}

/* Up to now, less what there was of it from @begin_ns to @end_ns. */
static uint64_t time_but(uint64_t begin_ns, uint64_t end_ns)
{
	if (time_ns < begin_ns)
		return time_ns;
	return time_ns < end_ns ? begin_ns : time_ns - (end_ns - begin_ns);
}

static uint64_t sampled_ns(void)
{
	return time_but(away_ns, back_ns) + time_but(missed_ns, due_ns) - time_ns;
}

int __wrap_cputime__read(int fd, struct cputime *cpus, size_t nr)
{
	const bool is_back = time_ns >= back_ns + CPUTIME_TICK_NS;

	cpus[0] = (struct cputime){
		.busy_ns = in_ticks(time_but(away_ns, back_ns)),
		.stolen_ns = is_back ? in_ticks(back_ns - away_ns) : 0,
		.online = true,
	};
	return 0;
}

int __wrap_sampler__read_cpu(struct sampler *s, size_t c)
{
	s->places[0].now_counted = s->places[0].now_enabled_ns = time_ns;
	s->fired[0].samples = sampled_ns() / MS;
	s->fired[0].periods = s->fired[0].busy = sampled_ns() / MS * MS;
	return 0;
}

static const struct perf_event_spec clock_event = {
	.name = "cpu-clock",
	.attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK },
	.hz = 1000,
};

/* Samples told as lost by a look at @look_ns, of a run from 0 on. */
static uint64_t lost_by(uint64_t look_ns, bool is_last)
{
	struct sample_cpu cpu = {};
	struct sample_place place = { .fd = 0, .openings = 1 };
	struct cputime times = {};
	struct sample_fired fired = { .last = MS };
	struct sampler s = {
		.session.stopped = is_last,
		.events = &clock_event,
		.nr_events = 1,
		.thrift.nr_events = 1,
		.cpus = &cpu,
		.nr_cpus = 1,
		.places = &place,
		.times = &times,
		.nr_times = 1,
		.fired = &fired,
	};

	naps_ns = 0;
	time_ns = 0;
	assert_int_equal(sampler__take_times(&s), 0);
	sampler__begin_cpu(&s, 0);
	time_ns = look_ns;
	assert_int_equal(sampler__take_times(&s), 0);
	assert_int_equal(sampler__look(&s), 0);
	return place.passed.samples;
}

static void steal(uint64_t from_ms, uint64_t to_ms)
{
	away_ns = from_ms * MS;
	back_ns = to_ms * MS;
}

static void miss(uint64_t from_ms, uint64_t to_ms)
{
	missed_ns = from_ms * MS;
	due_ns = to_ms * MS;
}

static void nothing_is_lost_of_what_was_stolen(void **state)
{
	miss(0, 0);
	steal(500, 600);
	assert_int_equal(lost_by(1000 * MS, true), 0);
	assert_int_equal(naps_ns, 0);
	/* It is back, but for less than a tick. */
	steal(900, 1000);
	assert_int_equal(lost_by(1001 * MS, true), 0);
	assert_in_range(naps_ns, 1, 40 * MS);
}

static void a_cpu_that_is_away_at_the_end_is_waited_for(void **state)
{
	miss(0, 0);
	for (uint64_t before = 0; before <= 100; before++) {
		steal(1000 - before, 1100 - before);
		assert_int_equal(lost_by(1000 * MS, true), 0);
		assert_int_equal(lost_by(1000 * MS, false), 0);
	}
}

/* The CPU was there, by the kernel's accounting. */
static void what_nobody_has_stolen_is_lost(void **state)
{
	miss(800, 900);
	steal(0, 0);
	assert_int_equal(lost_by(1000 * MS, true), 100);
	assert_in_range(naps_ns, 1, 40 * MS);
}

/* The end waits for a CPU that is away, and has not missed anything for that. */
static void what_is_stolen_afterwards_hides_no_loss(void **state)
{
	miss(800, 900);
	steal(1000, 1100);
	assert_in_range(lost_by(1000 * MS, true), 80, 100);
}

static void a_cpu_that_stays_away_is_not_waited_for_forever(void **state)
{
	miss(0, 0);
	steal(900, 1000000);
	assert_int_equal(lost_by(1000 * MS, true), 100);
	assert_int_equal(naps_ns, 1000 * MS);
	assert_int_equal(lost_by(1000 * MS, false), 100);
	assert_int_equal(naps_ns, 200 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost_of_what_was_stolen),
		cmocka_unit_test(a_cpu_that_is_away_at_the_end_is_waited_for),
		cmocka_unit_test(what_nobody_has_stolen_is_lost),
		cmocka_unit_test(what_is_stolen_afterwards_hides_no_loss),
		cmocka_unit_test(a_cpu_that_stays_away_is_not_waited_for_forever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
