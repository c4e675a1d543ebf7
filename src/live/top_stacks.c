// SPDX-License-Identifier: BSD-2-Clause
/* Samples interval by interval, adds up a window of them, and renews the session. */
#include "live/top_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "collect/collector.h"

enum { MAX_STACK = 127, MAX_NAMES = 30000 };

static const uint64_t NAMES_NS = 20 * 1000000;
static const uint64_t MAX_AGE_NS = 3600ull * 1000000000;

struct interval {
	struct profile *profile;
	uint64_t end_ns;
};

struct top_stacks {
	struct top_stacks_opts opts;
	struct collector *collector;
	struct collector *next; /* gets to know the processes before it samples; NULL: none */
	uint64_t opened_ns;
	struct sampler_thrift thrift;
	uint64_t own_before_ns;	    /* of sessions that have ended */
	uint64_t last_names_ns;	    /* != 0: top_stacks__be_last() */
	struct interval *intervals; /* the oldest first */
	size_t nr_intervals, cap_intervals;
	struct profile *sum;
};

static int open_collector(const struct top_stacks *f, struct collector **out, struct buf *why)
{
	struct sampler_opts sampler = {
		.events = f->opts.events->items,
		.nr_events = f->opts.events->nr,
		.target = f->opts.target,
		.max_stack = MAX_STACK,
		.unwind_bytes = f->opts.unwind_bytes,
		.measures_cost = true,
	};
	struct collector_opts opts = {
		.sampler = &sampler,
		.before = f->collector,
		.by = BY_PID | BY_TID | BY_COMM | BY_CGROUP | BY_KSTACK |
		      (f->opts.no_user ? 0 : BY_USTACK),
		.demangle = true,
		.inlines = f->opts.inlines,
		.by_interval = true,
		.jail = f->opts.jail,
		.debuginfod = f->opts.debuginfod,
	};

	return collector__open(out, &opts, why);
}

int top_stacks__open(struct top_stacks **out, const struct top_stacks_opts *opts, struct buf *why)
{
	struct top_stacks *f = calloc(1, sizeof(*f));
	int err;

	*out = NULL;
	if (!f)
		return -ENOMEM;
	f->opts = *opts;
	f->thrift.nr_events = opts->events->nr;
	if (!f->opts.max_names)
		f->opts.max_names = MAX_NAMES;
	if (!f->opts.names_ns)
		f->opts.names_ns = NAMES_NS;
	if (!f->opts.max_age_ns)
		f->opts.max_age_ns = MAX_AGE_NS;
	err = open_collector(f, &f->collector, why);
	if (!err)
		f->sum = profile__like(collector__profile(f->collector));
	if (!err && !f->sum)
		err = -ENOMEM;
	if (err) {
		top_stacks__close(f);
		return err;
	}
	f->opened_ns = clock__now_ns();
	*out = f;
	return 0;
}

void top_stacks__close(struct top_stacks *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr_intervals; i++)
		profile__free(f->intervals[i].profile);
	free(f->intervals);
	if (f->sum) /* it was opened */
		collector__tell(f->collector);
	profile__free(f->sum);
	collector__close(f->collector);
	collector__close(f->next);
	free(f);
}

int top_stacks__start(struct top_stacks *f)
{
	return collector__start(f->collector);
}

int top_stacks__poll(struct top_stacks *f)
{
	struct runloop_work work = collector__work(f->collector);
	int err = work.poll(work.arg);

	if (!err && f->next) {
		work = collector__work(f->next);
		err = work.poll(work.arg);
	}
	return err;
}

unsigned top_stacks__patience_ms(const struct top_stacks *f)
{
	const struct runloop_work work = collector__work(f->collector);

	return work.patience_ms(work.arg);
}

/* The session goes on as it is; another one is tried after max_age_ns more. */
static void stay(struct top_stacks *f, int err, const struct buf *why)
{
	log__notice("functions: what was learnt of binaries and cgroups is kept for now: %s",
		    why->len ? why->data : strerror(-err));
	f->opened_ns = clock__now_ns();
}

/*
 * Returns the old session, or NULL: none was ready to take over. It samples until the new one does;
 * what both see in that moment, far less than a sample, is there twice.
 */
static struct collector *take_over(struct top_stacks *f)
{
	struct collector *old = f->collector;
	int err;

	if (!f->next)
		return NULL;
	err = collector__spare(f->next, &f->thrift);
	if (!err)
		err = collector__start(f->next);
	if (err) {
		collector__close(f->next);
		f->next = NULL;
		stay(f, err, &(struct buf){});
		return NULL;
	}
	f->collector = f->next;
	f->next = NULL;
	f->opened_ns = clock__now_ns();
	return old;
}

static void prepare_next(struct top_stacks *f)
{
	struct buf why = {};
	int err;

	if (clock__now_ns() - f->opened_ns < f->opts.max_age_ns)
		return;
	err = open_collector(f, &f->next, &why);
	if (err)
		stay(f, err, &why);
	buf__free(&why);
}

static int take_interval(struct top_stacks *f, struct collector *c)
{
	struct profile *profile;
	int err = f->last_names_ns ? collector__flush_last(c, f->last_names_ns)
				   : collector__flush(c, f->opts.names_ns);

	if (!err)
		err = array__grow(&f->intervals, &f->cap_intervals, f->nr_intervals + 1);
	if (!err)
		err = collector__take(c, &profile);
	if (!err)
		f->intervals[f->nr_intervals++] = (struct interval){ profile, clock__now_ns() };
	return err;
}

/* Forgets intervals that ended before the window began, but never the last one. */
static void forget_intervals(struct top_stacks *f)
{
	uint64_t now = clock__now_ns();
	size_t old = 0;

	while (old + 1 < f->nr_intervals && now - f->intervals[old].end_ns >= f->opts.window_ns)
		profile__free(f->intervals[old++].profile);
	f->nr_intervals -= old;
	memmove(f->intervals, f->intervals + old, f->nr_intervals * sizeof(*f->intervals));
}

static int sum_up(struct top_stacks *f)
{
	struct profile *sum = profile__like(f->sum);
	int err = sum ? 0 : -ENOMEM;

	for (size_t i = 0; i < f->nr_intervals && !err; i++)
		err = profile__merge(sum, f->intervals[i].profile);
	if (err) {
		profile__free(sum);
		return err;
	}
	profile__free(f->sum);
	f->sum = sum;
	return 0;
}

void top_stacks__be_last(struct top_stacks *f, uint64_t names_ns)
{
	f->last_names_ns = names_ns;
}

int top_stacks__refresh(struct top_stacks *f)
{
	struct collector *old = take_over(f);
	int err = take_interval(f, old ? old : f->collector);

	if (old)
		f->own_before_ns += collector__own_ns(old);
	collector__close(old);
	if (!err && collector__nr_names(f->collector) > f->opts.max_names)
		err = collector__forget_names(f->collector);
	if (err)
		return err;
	prepare_next(f);
	forget_intervals(f);
	return sum_up(f);
}

int top_stacks__spare(struct top_stacks *f, const struct sampler_thrift *thrift)
{
	const int err = collector__spare(f->collector, thrift);

	if (!err)
		f->thrift = *thrift;
	return err;
}

uint64_t top_stacks__own_ns(const struct top_stacks *f)
{
	return f->own_before_ns + collector__own_ns(f->collector);
}

const struct profile *top_stacks__profile(const struct top_stacks *f)
{
	return f->sum;
}

const struct profile *top_stacks__interval(const struct top_stacks *f)
{
	return f->nr_intervals ? f->intervals[f->nr_intervals - 1].profile : NULL;
}
