// SPDX-License-Identifier: BSD-2-Clause
/* Estimates lost samples: what an event has counted less what its samples stand for. */
#include "probe/witness.h"

#include <linux/perf_event.h>

#include "machine/cputime.h"

static const uint64_t SECOND_NS = 1000000000;
/*
 * Error of busy time that is tolerated: a tick for each of two readings of idle and of stolen time,
 * and a share of the time, for hypervisors do not tell all that they steal. Measured on a busy
 * guest: 0.7 %.
 */
static const uint64_t BUSY_SLACK_NS = 4 * (uint64_t)CPUTIME_TICK_NS;
enum { BUSY_SLACK_SHARE = 64 };

bool witness__is_clock(const struct perf_event_spec *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && (ev->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
						       ev->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

enum witness_kind witness__kind(const struct perf_event_spec *ev)
{
	if (!witness__is_clock(ev))
		return WITNESS_COUNT;
	return ev->attr.exclude_user || ev->attr.exclude_kernel ? WITNESS_NONE : WITNESS_BUSY;
}

/* The period that would give the frequency asked for; 0: none was asked for, or not known. */
static uint64_t sought_period(const struct witness_figures *f)
{
	if (!f->hz || !f->running_ns)
		return 0;
	return (uint64_t)((double)f->counted / f->running_ns * SECOND_NS / f->hz);
}

/*
 * What one sample stands for: the mean period, or the one asked for while there is no sample. With
 * a frequency the sought one: the kernel begins with a period of 1, and thousands of such samples
 * would make the mean meaningless.
 */
static uint64_t usual_period(const struct witness_figures *f)
{
	uint64_t period = sought_period(f);

	if (!period)
		period = f->fired.samples ? f->fired.periods / f->fired.samples : f->period;
	return period ? period : 1;
}

static uint64_t clock_period(const struct witness_figures *f)
{
	return f->fired.last ? f->fired.last : f->hz ? SECOND_NS / f->hz : f->period;
}

/* With a fixed period each further opening may leave one unfinished, which no sample is lost of. */
static uint64_t missing_of_periods(const struct witness_figures *f, uint64_t beyond)
{
	uint64_t samples = f->period ? beyond / f->period : 0, unfinished = f->openings - 1;

	return samples > unfinished ? (samples - unfinished) * f->period : 0;
}

static uint64_t missing_of_frequency(const struct witness_figures *f, uint64_t beyond)
{
	/* The period in progress may be longer than all before it: up to the sought one. */
	uint64_t sought = sought_period(f);
	uint64_t longest = f->fired.longest > sought ? f->fired.longest : sought;
	uint64_t unfinished = 2 * longest * f->openings + f->fired.restarts;

	/* Without a sample there is no telling how far off the first one is. */
	return f->fired.samples && beyond > unfinished ? beyond - unfinished : 0;
}

/* A period that is under way, or was given up when the clock was opened anew, is in no sample. */
static uint64_t busy_slack(const struct witness_figures *f)
{
	const uint64_t period = clock_period(f);
	const uint64_t longest = f->slowest_ns > period ? f->slowest_ns : period;

	return (BUSY_SLACK_NS + longest) * f->openings + f->busy_ns / BUSY_SLACK_SHARE;
}

/* Limits a clock's loss to what its own count leaves: timers that run in idle lose none there. */
static uint64_t at_most(uint64_t beyond, uint64_t counted, uint64_t in_samples)
{
	uint64_t left = counted > in_samples ? counted - in_samples : 0;

	return beyond < left ? beyond : left;
}

uint64_t witness__missing(enum witness_kind kind, const struct witness_figures *f)
{
	uint64_t whole = f->counted, in_samples = f->fired.periods, beyond;

	if (kind == WITNESS_NONE || !f->openings)
		return 0;
	if (kind == WITNESS_BUSY) {
		whole = f->busy_ns;
		in_samples = f->fired.busy;
	}
	beyond = whole > in_samples ? whole - in_samples : 0;
	if (kind == WITNESS_BUSY) {
		beyond = at_most(beyond, f->counted, f->fired.periods);
		return beyond > busy_slack(f) ? beyond : 0;
	}
	return f->hz ? missing_of_frequency(f, beyond) : missing_of_periods(f, beyond);
}

uint64_t witness__without_tick(uint64_t accounted_ns, uint64_t seen_ns)
{
	/* User, nice and system time are each rounded down at both of two readings. */
	const uint64_t slack_ns = 3 * (uint64_t)CPUTIME_TICK_NS + accounted_ns / BUSY_SLACK_SHARE;
	const uint64_t missing_ns = accounted_ns > seen_ns ? accounted_ns - seen_ns : 0;

	return missing_ns > slack_ns ? missing_ns : 0;
}

void witness__tally(struct witness_tally *t, const struct witness_figures *f, uint64_t missing)
{
	const uint64_t period = usual_period(f);
	uint64_t samples;

	if (missing <= t->in_unit)
		return;
	t->rest += missing - t->in_unit;
	t->in_unit = missing;
	samples = t->rest / period;
	t->rest %= period;
	if (samples && t->is_guess) {
		t->is_guess = false;
		samples--;
	}
	t->samples += samples;
	if (!t->samples) {
		t->is_guess = true;
		t->samples = 1;
	}
}
