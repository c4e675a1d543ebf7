// SPDX-License-Identifier: BSD-2-Clause
/* Steps of a budget, as a run of top knows them. */
#include "cmd/top_thrift.h"

#include "base/clock.h"
#include "base/readable.h"
#include "live/top_stacks.h"
#include "run/overhead.h"

enum { HALVINGS = 6, DOUBLINGS = 3 };

int top_thrift__open(struct top_run *r)
{
	double share;
	int err;

	if (!r->opts->max_overhead)
		return 0;
	err = overhead__parse(r->opts->max_overhead, &share, &r->why);
	if (!err)
		err = overhead__new(&r->overhead, share, 0);
	if (err)
		return err;
	overhead__add(r->overhead, BUDGET_RATE, r->batch ? DOUBLINGS : HALVINGS);
	overhead__add(r->overhead, BUDGET_KEYS, 1);
	/* A screen may be asked for others. */
	overhead__add(r->overhead, BUDGET_EVENTS, r->batch ? r->events.nr : TOP_EVENTS);
	overhead__add(r->overhead, BUDGET_PAUSE, 1);
	return 0;
}

static uint64_t own_ns(const struct top_run *r, const struct top_stacks *samples)
{
	return r->own_before_ns + (r->top ? top_tasks__own_ns(r->top) : 0) +
	       (samples ? top_stacks__own_ns(samples) : 0);
}

void top_thrift__note_end(struct top_run *r, uint64_t ns)
{
	r->own_before_ns += ns;
}

void top_thrift__begin(struct top_run *r, const struct top_stacks *samples)
{
	if (r->overhead)
		overhead__begin(r->overhead, own_ns(r, samples));
}

bool top_thrift__is_paused(const struct top_run *r)
{
	return r->is_paused;
}

uint64_t top_thrift__delay_ns(const struct top_run *r)
{
	/* Of functions alone there are fewer samples in each. */
	const bool longer = r->overhead && r->top;
	const size_t nr = longer ? overhead__taken(r->overhead, BUDGET_RATE) : 0;

	return r->delay_ns << (nr < DOUBLINGS ? nr : DOUBLINGS);
}

unsigned top_thrift__patience_ms(const struct top_run *r, unsigned ms)
{
	const unsigned until_ms = r->overhead ? overhead__patience_ms(r->overhead) : ms;

	return until_ms < ms ? until_ms : ms;
}

/* Events that are counted by counters of their own, of the first @nr. */
static size_t nr_counted(const struct top_run *r)
{
	const size_t taken = overhead__taken(r->overhead, BUDGET_EVENTS);
	const size_t most = r->batch ? r->events.nr : TOP_EVENTS, left = most - taken;

	return left < r->events.nr ? left : r->events.nr;
}

static int put_text(const struct top_run *r, bool by_process, struct buf *text)
{
	char delay[READABLE_CHARS];
	int err;

	if (overhead__is_paused(r->overhead))
		return buf__puts(text, "nothing is counted until that is made up for");
	readable__time(top_thrift__delay_ns(r), delay);
	err = buf__printf(text, "an interval each %s", delay);
	if (!err && by_process)
		err = buf__puts(text, ", threads are not told apart");
	if (!err && nr_counted(r) < r->events.nr)
		err = buf__printf(text, ", the first %zu of %zu events", nr_counted(r),
				  r->events.nr);
	return err;
}

static int spare_samples(const struct top_run *r, struct top_stacks *samples)
{
	const struct sampler_thrift now = {
		.halvings = (unsigned)overhead__taken(r->overhead, BUDGET_RATE),
		.less = overhead__taken(r->overhead, BUDGET_KEYS) ? BY_USTACK : 0,
		.nr_events = overhead__is_paused(r->overhead) ? 0 : r->sampled.nr,
	};

	return top_stacks__spare(samples, &now);
}

int top_thrift__renew(struct top_run *r, struct top_stacks *samples)
{
	struct top_thrift now;
	int err = 0;

	if (!r->overhead)
		return 0;
	now = (struct top_thrift){
		.less = overhead__taken(r->overhead, BUDGET_KEYS) ? BY_TID : 0,
		.nr_events = nr_counted(r),
		.paused = overhead__is_paused(r->overhead),
	};
	r->is_paused = now.paused;
	r->lost |= now.less || now.paused || now.nr_events < r->events.nr;
	if (r->top)
		err = top_tasks__spare(r->top, &now);
	return err || !samples ? err : spare_samples(r, samples);
}

int top_thrift__heed(struct top_run *r, struct top_stacks *samples)
{
	int err;

	if (!r->overhead || !r->has_steps)
		return 0;
	r->has_steps = false;
	err = top_thrift__renew(r, samples);
	buf__clear(&r->spared);
	if (!err)
		err = put_text(r, overhead__taken(r->overhead, BUDGET_KEYS), &r->spared);
	if (err)
		return err;
	r->next_ns = clock__now_ns() + top_thrift__delay_ns(r);
	overhead__tell(r->overhead, r->spared.data);
	return 0;
}

int top_thrift__poll(struct top_run *r, struct top_stacks *samples)
{
	if (!r->overhead || !overhead__is_due(r->overhead) ||
	    !overhead__look(r->overhead, own_ns(r, samples)))
		return 0;
	r->has_steps = true;
	r->next_ns = clock__now_ns();
	return r->is_paused ? top_thrift__heed(r, samples) : 0;
}
