// SPDX-License-Identifier: BSD-2-Clause
/* top --by function: where time is spent, one interval after the other. */
#include "cmd/top_views.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/privileges.h"
#include "cmd/events.h"
#include "cmd/measuring.h"
#include "cmd/profile_output.h"
#include "cmd/profile_thrift.h"
#include "cmd/results.h"
#include "cmd/top_filter.h"
#include "cmd/top_samples.h"
#include "cmd/top_thrift.h"
#include "collect/collector.h"
#include "live/top_stacks.h"
#include "machine/target.h"
#include "probe/sample.h"
#include "tape/liveread.h"

enum { TABLE_ROWS = 40 };

_Static_assert((int)SAMPLE_EVENTS <= (int)LIVEREAD_EVENTS_SAMPLED_MAX,
	       "what is sampled can be recorded");

struct functions_view {
	struct top_run *run;
	struct target target;
	struct top_stacks *funcs;      /* NULL: of a recording */
	bool has_user;		       /* frames */
	const struct profile *profile; /* of the last interval */
	uint64_t at_ns;		       /* its end, since the start */
	size_t nr_without;	       /* intervals of a recording that were not sampled */
};

static int write_interval(void *arg, FILE *f, enum format format)
{
	const struct functions_view *v = arg;
	const struct profile_output out = {
		.profile = v->profile,
		.command = "top",
		.weights = true,
		.is_later = v->run->nr_shown,
		.at_ns = v->at_ns,
		.rows = v->run->opts->rows ? v->run->opts->rows : TABLE_ROWS,
	};

	return profile_output__write(&out, f, format);
}

static int print(struct functions_view *v)
{
	struct top_run *r = v->run;
	int err;

	v->at_ns += v->profile->duration_ns;
	r->lost |= results__lost(v->profile);
	err = outputs__part(&r->outputs, write_interval, v, &r->why);
	r->nr_shown++;
	return err;
}

/* @last: no interval is late by it, so that names may take longer. */
static int show(struct functions_view *v, bool last)
{
	static const uint64_t LAST_NAMES_NS = 2 * 1000000000ull;
	struct top_run *r = v->run;
	int err;

	if (last)
		top_stacks__be_last(v->funcs, LAST_NAMES_NS);
	err = top_stacks__refresh(v->funcs);
	if (err)
		return err;
	v->profile = top_stacks__profile(v->funcs);
	err = top_feed__put_samples(r->feed, v->profile, &r->why);
	return err ? err : print(v);
}

static int show_recorded(void *arg)
{
	struct functions_view *v = arg;
	struct top_run *r = v->run;
	int err = top_feed__refresh(r->feed, NULL, &r->live, &r->interval_ns, &r->why);

	if (!err)
		err = top_samples__recorded(r, &v->profile, &r->why);
	if (err)
		return err;
	if (v->profile)
		return print(v);
	v->nr_without++;
	v->at_ns += r->interval_ns;
	return 0;
}

/* If no interval has samples that is an error; how many have none is told. */
static int replay(struct functions_view *v)
{
	struct top_run *r = v->run;
	int err = top_run__replay(r, show_recorded, v);

	if (err || !v->nr_without)
		return err;
	if (!r->nr_shown)
		return buf__printf(&r->why,
				   "%s: no interval has samples: functions were not looked at",
				   r->opts->replay)
			       ? -ENOMEM
			       : -ENODATA;
	log__notice("%s: %zu of %zu intervals have no samples: functions were not looked at",
		    r->opts->replay, v->nr_without, top_feed__nr(r->feed));
	return 0;
}

static struct profile_thrift thrift_of(const struct functions_view *v)
{
	const unsigned user = v->has_user ? BY_USTACK : 0;

	return (struct profile_thrift){ v->run->events.items, v->run->events.nr, BY_KSTACK | user };
}

/* Samples change at once: each stands for what it stands for. */
static int look_at_cost(struct functions_view *v)
{
	const struct profile_thrift thrift = thrift_of(v);
	struct top_run *r = v->run;
	struct sampler_thrift now;
	struct buf text = {};
	int err;

	if (!r->overhead || !overhead__is_due(r->overhead) ||
	    !overhead__look(r->overhead, top_stacks__own_ns(v->funcs)))
		return 0;
	err = profile_thrift__now(&thrift, r->overhead, &now, &text);
	if (!err)
		err = top_stacks__spare(v->funcs, &now);
	if (!err)
		overhead__tell(r->overhead, text.data);
	r->is_paused = !now.nr_events;
	r->lost |= now.less || now.nr_events < r->events.nr;
	buf__free(&text);
	return err;
}

static int poll_view(void *arg)
{
	struct functions_view *v = arg;
	int err = look_at_cost(v);

	if (err)
		return err;
	/* An interval goes on over a pause. */
	if (v->run->is_paused && clock__now_ns() >= v->run->next_ns)
		top_run__go_on(v->run);
	if (clock__now_ns() < v->run->next_ns)
		return top_stacks__poll(v->funcs);
	err = show(v, top_run__is_at_last(v->run));
	top_run__go_on(v->run);
	return err ? err : top_run__has_all(v->run);
}

static unsigned patience_ms(void *arg)
{
	const struct functions_view *v = arg;
	unsigned next = clock__ms_until(v->run->next_ns);
	unsigned poll = top_stacks__patience_ms(v->funcs);

	return top_thrift__patience_ms(v->run, poll < next ? poll : next);
}

static int watch(struct functions_view *v)
{
	const struct runloop_work work = { poll_view, patience_ms, NULL, NULL, v };
	struct top_run *r = v->run;
	int err = top_stacks__start(v->funcs);

	r->next_ns = clock__now_ns() + r->delay_ns;
	if (!err && r->overhead)
		overhead__begin(r->overhead, top_stacks__own_ns(v->funcs));
	if (!err)
		err = measure_within(r->loop, PRIVILEGES_TOP, &work);
	/* The last interval, up to the signal or the end of the target that has ended the run. */
	if (!err && !top_run__has_all(r))
		err = show(v, true);
	return err;
}

static int open_overhead(struct functions_view *v)
{
	const struct profile_thrift thrift = thrift_of(v);
	struct top_run *r = v->run;
	double share;
	int err = overhead__parse(r->opts->max_overhead, &share, &r->why);

	if (!err)
		err = overhead__new(&r->overhead, share, 0);
	if (!err)
		profile_thrift__add(&thrift, r->overhead);
	return err;
}

static int open_view(struct functions_view *v)
{
	struct top_run *r = v->run;
	struct top_stacks_opts funcs = {
		.events = &r->events,
		.target = &v->target,
		.names_ns = collector__names_ns(r->delay_ns),
		.jail = r->jail,
		.debuginfod = r->debuginfod,
	};
	const struct runloop_opts loop = { .target = &v->target };
	struct target_opts target = r->opts->targets;
	struct call_graph graph;
	int err = call_graph__choose(&r->opts->call_graph, &graph, &r->why);

	if (err)
		return err;
	funcs.unwind_bytes = graph.unwind_bytes;
	funcs.no_user = !graph.user;
	v->has_user = graph.user;
	funcs.inlines = !r->opts->no_inline;

	target.no_inherit = true; /* as in other views: a child is a process of its own */
	err = target_opts__parse(&target, false, &v->target, &r->why);

	if (!err)
		err = event_opts__parse(&r->sampled_by, v->target.cpus[0], SAMPLE_EVENTS,
					r->lookups, &r->events, &r->why);
	if (!err && r->opts->max_overhead)
		err = open_overhead(v);
	if (!err)
		err = top_stacks__open(&v->funcs, &funcs, &r->why);
	return err ? err : runloop__open(&r->loop, &loop);
}

static int open_feed(struct top_run *r)
{
	const struct top_command_opts *o = r->opts;
	int err = top_feed__open(&r->feed, o->record, o->replay, false, &r->why);

	/* Only the target is sampled: a filter is for recordings. */
	if (err || !o->replay)
		return err;
	return top_filter__open(&r->filter, &o->targets, top_feed__processes(r->feed), true,
				&r->why);
}

int top__functions(struct top_run *r)
{
	struct functions_view v = { .run = r };
	int err = open_feed(r);

	if (!err && r->opts->replay) {
		err = replay(&v);
	} else if (!err) {
		err = open_view(&v);
		if (!err)
			err = watch(&v);
		if (!err)
			err = top_feed__end(r->feed, &r->why);
	}
	runloop__close(r->loop);
	r->loop = NULL;
	top_stacks__close(v.funcs);
	target__free(&v.target);
	return err;
}
