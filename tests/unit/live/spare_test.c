// SPDX-License-Identifier: BSD-2-Clause
/*
 * Less than all is measured, and all again. The witness is the CPU time of this process, by the
 * kernel's own clock: samples stand for it at any rate, and tasks are charged for it at any time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "machine/cputime.h"
#include "probe/sample.h"
#include "probe/top.h"

enum { VALUES = TOP_VALUES + TOP_EVENTS };

/* Of this process, since the last flush; of one event. */
static struct {
	uint64_t samples, weight, left_out, deep, tids;
	uint64_t values[VALUES];
} got;
static size_t nr_values;

static int closed(void *arg)
{
	(void)arg;
	return 0;
}

static int take_stack(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	(void)arg;
	(void)s;
	*handle = 0;
	return 0;
}

static int take_count(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t samples,
		      uint64_t weight, const struct table_value *values)
{
	(void)arg;
	(void)handle;
	if (s->key->tgid != (uint32_t)getpid() || s->key->stack.source)
		return 0;
	got.samples += samples;
	got.weight += weight;
	got.tids |= s->key->tid;
	if (s->key->stack.flaws & STACK_LEFT_OUT)
		got.left_out += samples;
	if (s->key->stack.nr_user)
		got.deep += samples;
	for (size_t i = 0; i < nr_values; i++)
		got.values[i] += values[i].sum;
	return 0;
}

static const struct rows_reader reader = { closed, take_stack, take_count, NULL };

static void flush(struct session *s)
{
	memset(&got, 0, sizeof(got));
	assert_int_equal(session__flush(s, &reader), 0);
}

static uint64_t own_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint64_t stolen_before_ns, burnt_ns, passed_ns;

/* By a hypervisor, on all CPUs. */
static uint64_t stolen_ns(void)
{
	enum { CPUS_MAX = 1024 };
	static struct cputime times[CPUS_MAX];
	const int fd = cputime__open("");
	uint64_t sum = 0;

	assert_true(fd >= 0);
	assert_int_equal(cputime__read(fd, times, CPUS_MAX), 0);
	close(fd);
	for (size_t c = 0; c < CPUS_MAX; c++)
		sum += times[c].stolen_ns;
	return sum;
}

static void burn(uint64_t ns)
{
	const uint64_t until_ns = own_ns() + ns, begun_ns = clock__now_ns();

	stolen_before_ns = stolen_ns();
	burnt_ns = ns;

	while (own_ns() < until_ns)
		;
	passed_ns = clock__now_ns() - begun_ns;
}

/* Of this process so far, as the kernel's accounting has them; of a sanitizer's, too. */
static uint64_t page_faults(void)
{
	struct rusage u;

	assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
	return u.ru_minflt + u.ru_majflt;
}

/* Before the last touch(), and in it. */
static uint64_t faults_before, nr_touched;

/* Pages that nobody has touched: as many page faults. */
static void touch(size_t nr)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	const uint64_t before = page_faults();
	char *at =
		mmap(NULL, nr * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(at != MAP_FAILED);
	/* Or a fault may bring two megabytes. */
	(void)madvise(at, nr * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < nr; i++)
		((volatile char *)at)[i * page] = 1;
	munmap(at, nr * page);
	faults_before = before;
	nr_touched = page_faults() - before;
	assert_true(nr_touched >= nr);
}

/*
 * As many as the process has had in the last touch(), some of those since, for flush() has its own
 * before and behind its reading of the tables, and a few around it.
 */
static void are_faults(uint64_t n, uint64_t each)
{
	enum { AROUND = 40 };

	assert_in_range(n * each, nr_touched - AROUND, page_faults() - faults_before + AROUND);
}

/*
 * What so many samples say of a time: within four standard deviations, as where other tasks share
 * the CPU, and 5 %. Of time that a hypervisor has taken since the last burn() the process's time
 * has none where the kernel takes it out (update_rq_clock_task(), kernel/sched/core.c), all of it
 * elsewhere; the timer, which goes by the wall clock, has samples of some of it. More than by the
 * wall clock there cannot be.
 */
static void close_to(uint64_t n, uint64_t expected, double samples)
{
	const double off = expected * (4 / sqrt(samples) + 0.05);
	const double stolen = expected * ((double)(stolen_ns() - stolen_before_ns) / burnt_ns);
	const double away = expected * ((double)(passed_ns - burnt_ns) / burnt_ns);

	if (n < expected - off - stolen || n > expected + off + (stolen < away ? stolen : away))
		fail_msg("%llu, not about %llu, %g of it stolen, %g beside it",
			 (unsigned long long)n, (unsigned long long)expected, stolen, away);
}

static struct target everything;

/* A session of sampling, running. */
struct sampling {
	struct perf_events events;
	struct session *session;
};

static void begin_sampling(struct sampling *s, const char *events, uint64_t hz, uint64_t period,
			   enum sampler_source source)
{
	struct sampler_opts opts = { .source = source,
				     .target = &everything,
				     .by = BY_USTACK | BY_KSTACK,
				     .max_stack = 64,
				     .measures_cost = true };
	struct buf why = {};
	int err;

	*s = (struct sampling){};
	nr_values = 0;
	assert_int_equal(perf_events__parse(&s->events, NULL, events, &why), 0);
	for (size_t i = 0; i < s->events.nr; i++) {
		s->events.items[i].hz = hz;
		s->events.items[i].period = period;
	}
	opts.events = s->events.items;
	opts.nr_events = s->events.nr;
	err = sampler__open(&s->session, &opts, &why);
	if (err)
		fail_msg("%s", why.data ? why.data : strerror(-err));
	buf__free(&why);
	assert_int_equal(session__start(s->session), 0);
}

static void end_sampling(struct sampling *s)
{
	struct sampler_stats stats;

	assert_int_equal(session__stop(s->session), 0);
	assert_int_equal(session__poll(s->session, &reader), 0);
	sampler__stats(s->session, &stats);
	/* A pause, or another rate, is no loss: these would be hundreds. Others cause some. */
	assert_in_range(stats.passed_over, 0, 20);
	assert_int_equal(stats.away, 0);
	session__close(s->session);
	perf_events__free(&s->events);
}

static void spare_samples(struct sampling *s, unsigned halvings, unsigned less, size_t nr_events)
{
	const struct sampler_thrift thrift = { halvings, less, nr_events };

	assert_int_equal(sampler__spare(s->session, &thrift), 0);
	flush(s->session);
}

static const uint64_t SECOND = 1000000000;

/*
 * About 1000, and never in step with the scheduler's tick: that takes a task off a CPU which it
 * shares, always at the same moment between two samples.
 */
enum { HZ = 997 };

/* At any rate samples stand for the CPU time that was used. */
static void fewer_samples_stand_for_as_much(void **state)
{
	struct sampling s;

	(void)state;
	begin_sampling(&s, "cpu-clock", HZ, 0, SAMPLER_EVENTS);
	burn(SECOND / 2);
	flush(s.session);
	close_to(got.weight, SECOND / 2, 500);
	close_to(got.samples, 500, 500);
	assert_true(got.deep > got.samples / 2);
	assert_true(session__own_ns(s.session) > got.samples * 50);

	spare_samples(&s, 3, 0, 1);
	burn(SECOND);
	flush(s.session);
	close_to(got.weight, SECOND, 125);
	close_to(got.samples, 125, 125);
	assert_int_equal(got.left_out, 0);

	spare_samples(&s, 0, 0, 1);
	burn(SECOND / 2);
	flush(s.session);
	close_to(got.samples, 500, 500);
	end_sampling(&s);
}

static void halves_of_stacks_are_left_out(void **state)
{
	struct sampling s;

	(void)state;
	begin_sampling(&s, "cpu-clock", HZ, 0, SAMPLER_EVENTS);
	spare_samples(&s, 0, BY_USTACK, 1);
	burn(SECOND / 5);
	flush(s.session);
	close_to(got.samples, 200, 200);
	assert_int_equal(got.deep, 0);
	assert_true(got.left_out > got.samples / 2);
	end_sampling(&s);
}

static void no_event_is_no_sample_and_no_loss(void **state)
{
	struct sampling s;
	uint64_t enabled_ns, running_ns, before_ns;

	(void)state;
	begin_sampling(&s, "cpu-clock", HZ, 0, SAMPLER_EVENTS);
	burn(SECOND / 10);
	spare_samples(&s, 0, 0, 0);
	assert_int_equal(session__times(s.session, 0, &before_ns, &running_ns), 0);
	burn(SECOND / 2);
	flush(s.session);
	assert_int_equal(got.samples, 0);
	assert_int_equal(session__times(s.session, 0, &enabled_ns, &running_ns), 0);
	assert_true(enabled_ns - before_ns < SECOND / 20);
	spare_samples(&s, 2, 0, 0); /* another rate, while nothing is sampled */
	burn(SECOND / 10);
	flush(s.session);
	assert_int_equal(got.samples, 0);
	spare_samples(&s, 0, 0, 1);
	burn(SECOND / 5);
	flush(s.session);
	close_to(got.samples, 200, 200);
	end_sampling(&s);
}

static void periods_are_doubled(void **state)
{
	struct sampling s;

	(void)state;
	begin_sampling(&s, "page-faults:u", 0, 1, SAMPLER_EVENTS);
	touch(4000);
	flush(s.session);
	are_faults(got.samples, 1);
	spare_samples(&s, 2, 0, 1);
	touch(4000);
	flush(s.session);
	are_faults(got.samples, 4);
	are_faults(got.weight, 1);
	end_sampling(&s);
}

/* The second of two events is off, the first goes on. */
static void events_are_off_from_the_last_on(void **state)
{
	struct sampling s;
	uint64_t before_ns, enabled_ns, running_ns, first_ns;

	(void)state;
	begin_sampling(&s, "cpu-clock,task-clock", HZ, 0, SAMPLER_EVENTS);
	spare_samples(&s, 0, 0, 1);
	assert_int_equal(session__times(s.session, 0, &first_ns, &running_ns), 0);
	assert_int_equal(session__times(s.session, 1, &before_ns, &running_ns), 0);
	burn(SECOND / 5);
	flush(s.session);
	close_to(got.samples, 200, 200);
	assert_int_equal(session__times(s.session, 1, &enabled_ns, &running_ns), 0);
	assert_int_equal(enabled_ns, before_ns);
	assert_int_equal(session__times(s.session, 0, &enabled_ns, &running_ns), 0);
	assert_true(enabled_ns - first_ns >= SECOND / 5);
	spare_samples(&s, 0, 0, 2);
	burn(SECOND / 5);
	end_sampling(&s);
}

static void the_tick_has_a_rate_too(void **state)
{
	struct sampling s;

	(void)state;
	begin_sampling(&s, "cpu-clock", 100, 0, SAMPLER_TICK);
	burn(SECOND);
	flush(s.session);
	close_to(got.weight, SECOND, 100);
	close_to(got.samples, 100, 100);
	spare_samples(&s, 2, 0, 1);
	burn(2 * SECOND);
	flush(s.session);
	close_to(got.weight, 2 * SECOND, 50);
	close_to(got.samples, 50, 50);
	spare_samples(&s, 2, 0, 0);
	burn(SECOND / 5);
	flush(s.session);
	assert_int_equal(got.samples, 0);
	end_sampling(&s);
}

/* With interrupts, and what was stolen, which are not in the process's own time; no more. */
static void is_time_since(uint64_t ns, uint64_t own_since_ns, uint64_t wall_since_ns)
{
	assert_true(ns >= (own_ns() - own_since_ns) / 20 * 19);
	assert_true(ns <= clock__now_ns() - wall_since_ns);
}

/* A session that charges tasks, running. */
struct charging {
	struct perf_events events;
	struct session *session;
	uint64_t spared_ns; /* before the last flush of spare_charges(), which begins a piece */
};

static void begin_charging(struct charging *c)
{
	const struct perf_event_spec *specs[TOP_EVENTS];
	struct top_opts opts = { .events = specs, .by = BY_TID | BY_COMM };
	struct buf why = {};
	int err;

	*c = (struct charging){};
	assert_int_equal(perf_events__parse(&c->events, NULL, "cs,page-faults,minor-faults", &why),
			 0);
	for (size_t i = 0; i < c->events.nr; i++)
		specs[i] = &c->events.items[i];
	opts.nr_events = c->events.nr;
	nr_values = TOP_VALUES + c->events.nr;
	err = top__open(&c->session, &opts, &why);
	if (err)
		fail_msg("%s", why.data ? why.data : strerror(-err));
	buf__free(&why);
	assert_int_equal(session__start(c->session), 0);
	flush(c->session);
}

static void spare_charges(struct charging *c, unsigned less, size_t nr_events, bool paused)
{
	const struct top_thrift thrift = { less, nr_events, paused };

	flush(c->session);
	assert_int_equal(top__spare(c->session, &thrift), 0);
	c->spared_ns = clock__now_ns();
	flush(c->session);
}

/* @most: pieces of runs that may be lost. */
static void end_charging(struct charging *c, uint64_t most)
{
	struct losses losses = {};

	session__losses(c->session, &losses);
	assert_in_range(losses__sum(&losses), 0, most);
	session__close(c->session);
	perf_events__free(&c->events);
}

static void events_that_stand_still_are_nobodys(void **state)
{
	enum { FAULTS = TOP_VALUES + 1, MINOR };
	struct charging c;

	(void)state;
	begin_charging(&c);
	touch(1000);
	flush(c.session);
	are_faults(got.values[FAULTS], 1);
	are_faults(got.values[MINOR], 1);
	spare_charges(&c, 0, 2, false);
	touch(1000);
	flush(c.session);
	are_faults(got.values[FAULTS], 1);
	assert_int_equal(got.values[MINOR], 0);
	spare_charges(&c, 0, 0, false);
	touch(1000);
	flush(c.session);
	assert_int_equal(got.values[FAULTS], 0);
	/* What happened meanwhile is not charged when they count again. */
	spare_charges(&c, 0, 3, false);
	touch(500);
	flush(c.session);
	are_faults(got.values[FAULTS], 1);
	are_faults(got.values[MINOR], 1);
	/* Each CPU's events were opened anew between two looks there. */
	end_charging(&c, 4 * sysconf(_SC_NPROCESSORS_ONLN));
}

static void threads_are_one(void **state)
{
	struct charging c;
	uint64_t since_ns;

	(void)state;
	begin_charging(&c);
	burn(SECOND / 20);
	flush(c.session);
	assert_int_equal(got.tids, getpid());
	spare_charges(&c, BY_TID, 3, false);
	since_ns = own_ns();
	burn(SECOND / 10);
	flush(c.session);
	assert_int_equal(got.tids, 0);
	is_time_since(got.values[TOP_TIME], since_ns, c.spared_ns);
	end_charging(&c, 0);
}

static void nothing_of_a_pause_is_charged(void **state)
{
	struct charging c;
	uint64_t since_ns;

	(void)state;
	begin_charging(&c);
	spare_charges(&c, 0, 3, true);
	burn(SECOND / 5);
	touch(1000);
	flush(c.session);
	assert_int_equal(got.values[TOP_TIME], 0);
	spare_charges(&c, 0, 3, false);
	since_ns = own_ns();
	burn(SECOND / 10);
	touch(500);
	flush(c.session);
	is_time_since(got.values[TOP_TIME], since_ns, c.spared_ns);
	are_faults(got.values[TOP_VALUES + 1], 1);
	end_charging(&c, 0);
}

static int prepare(void **state)
{
	struct buf why = {};
	const int err = target__finish(&everything, &why);

	(void)state;
	buf__free(&why);
	return err;
}

static int clean_up(void **state)
{
	(void)state;
	target__free(&everything);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fewer_samples_stand_for_as_much),
		cmocka_unit_test(halves_of_stacks_are_left_out),
		cmocka_unit_test(no_event_is_no_sample_and_no_loss),
		cmocka_unit_test(periods_are_doubled),
		cmocka_unit_test(events_are_off_from_the_last_on),
		cmocka_unit_test(the_tick_has_a_rate_too),
		cmocka_unit_test(events_that_stand_still_are_nobodys),
		cmocka_unit_test(threads_are_one),
		cmocka_unit_test(nothing_of_a_pause_is_charged),
	};

	/* Who shares a CPU is in step with the tick (docs/tick.md): whoever else is there waits. */
	if (setpriority(PRIO_PROCESS, 0, -20))
		fprintf(stderr, "# others may have the CPUs: %s\n", strerror(errno));
	return cmocka_run_group_tests(tests, prepare, clean_up);
}
