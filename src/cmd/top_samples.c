// SPDX-License-Identifier: BSD-2-Clause
/* top: samples for the screen's functions and stacks, live or of a recording. */
#include "cmd/top_samples.h"

#include <errno.h>
#include <stdio.h>

#include "cmd/events.h"
#include "model/livefilter.h"
#include "probe/sample.h"

/* At the usual rate an interval alone has few samples; this is what "now" means. */
static const uint64_t window_ns = 10000000000;

static int choose_event(struct top_run *r, int cpu, struct buf *why)
{
	int err;

	if (r->sampled.nr)
		return 0;
	err = event_opts__parse(&r->sampled_by, cpu, SAMPLE_EVENTS, r->lookups, &r->sampled, why);
	if (!err && r->sampled.nr > 1)
		err = buf__puts(why, "a screen shows the functions of one event: "
				     "-b shows those of several")
			      ? -ENOMEM
			      : -EINVAL;
	if (err)
		perf_events__free(&r->sampled);
	return err;
}

int top_samples__choose(struct top_run *r, struct buf *why)
{
	struct target target = {};
	int err = target_opts__parse(&r->opts->targets, false, &target, why);

	if (!err)
		err = choose_event(r, target.cpus[0], why);
	target__free(&target);
	return err;
}

static int open_all(struct top_samples *s, struct top_run *r, struct buf *why)
{
	const struct target_opts *of = &r->opts->targets;
	struct top_stacks_opts opts = {
		.events = &r->sampled,
		.target = &s->target,
		.window_ns = window_ns,
		.jail = r->jail,
		.debuginfod = r->debuginfod,
	};
	struct target_opts alone = *of;
	struct call_graph graph;
	int err = call_graph__choose(&r->opts->call_graph, &graph, why);

	if (err)
		return err;
	opts.unwind_bytes = graph.unwind_bytes;
	opts.no_user = !graph.user;
	opts.inlines = !r->opts->no_inline;

	alone.no_inherit = true; /* as in other views: a child is a process of its own */
	err = target_opts__parse(&alone, false, &s->target, why);
	if (!err)
		err = choose_event(r, s->target.cpus[0], why);
	if (!err)
		err = top_stacks__open(&s->funcs, &opts, why);
	return err ? err : top_stacks__start(s->funcs);
}

int top_samples__open(struct top_samples *s, struct top_run *r, struct buf *why)
{
	int err = open_all(s, r, why);

	if (err)
		top_samples__close(s);
	return err;
}

void top_samples__close(struct top_samples *s)
{
	top_stacks__close(s->funcs);
	target__free(&s->target);
	*s = (struct top_samples){};
}

static bool wants(void *arg, const struct profile *p, const struct row *row)
{
	struct live_task t = { .tgid = row->key.pid, .tid = row->key.tid };

	snprintf(t.comm, sizeof(t.comm), "%.*s", (int)sizeof(t.comm) - 1,
		 profile__comm(p, row->key.stack));
	return livefilter__wants(arg, &t);
}

int top_samples__recorded(struct top_run *r, const struct profile **out, struct buf *why)
{
	const struct profile *all = top_feed__samples(r->feed);
	int err;

	*out = NULL;
	/* Samples have a cgroup's path, filters look at its id. */
	if (r->opts->targets.cgroups.nr)
		return buf__puts(why, "-G: recorded functions are not told apart by cgroup")
			       ? -ENOMEM
			       : -EINVAL;
	if (!all || !livefilter__selects(r->filter)) {
		*out = all;
		return 0;
	}
	profile__free(r->samples);
	r->samples = profile__like(all);
	err = r->samples ? profile__merge_some(r->samples, all, wants, r->filter) : -ENOMEM;
	if (!err)
		*out = r->samples;
	return err;
}
