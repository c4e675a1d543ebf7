// SPDX-License-Identifier: BSD-2-Clause
/* A dummy software event on each place, whose running time says how long the task was there. */
#include "stat/presence.h"

#include <errno.h>
#include <stdlib.h>

struct presence {
	struct perf_events events; /* one */
	struct counters *counters;
};

bool presence__matters(const struct counter_place *at)
{
	return at->pid >= 0 && at->cpu >= 0;
}

/* Events that may be multiplexed: those on a PMU's counters. */
static bool may_multiplex(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT &&
	       attr->type != PERF_TYPE_BREAKPOINT;
}

bool presence__is_needed(const struct counters_opts *opts)
{
	bool multiplex = false, alone = false;

	for (size_t i = 0; i < opts->events->nr; i++)
		multiplex = multiplex || may_multiplex(&opts->events->items[i].attr);
	for (size_t i = 0; i < opts->nr_places; i++)
		alone = alone || presence__matters(&opts->places[i]);
	return multiplex && alone;
}

uint64_t presence__enabled_ns(const struct counter_value *v, const struct counter_place *at,
			      const struct perf_event_attr *attr, uint64_t present_ns)
{
	const uint64_t slack_ns = 100000; /* from one system call to another */

	if (!presence__matters(at))
		return v->enabled_ns;
	if (may_multiplex(attr) && present_ns > v->running_ns + slack_ns)
		return present_ns;
	return v->running_ns;
}

/* like->inherit says whether children are inherited, these bits of the attr which of them. */
static void take_inheritance(struct perf_event_attr *to, const struct perf_event_attr *from)
{
#ifdef PERF_ATTR_SIZE_VER7
	to->inherit_thread = from->inherit_thread;
	to->remove_on_exec = from->remove_on_exec;
#endif
}

int presence__open(struct presence **out, const struct counters_opts *like, struct buf *why)
{
	struct presence *p = calloc(1, sizeof(*p));
	struct counters_opts opts = *like;
	int err;

	*out = NULL;
	if (!p)
		return -ENOMEM;
	/* ":u" needs no privilege, and the times are those of the task either way. */
	err = perf_events__parse(&p->events, NULL, "dummy:u", why);
	if (!err && like->events)
		take_inheritance(&p->events.items[0].attr, &like->events->items[0].attr);
	opts.events = &p->events;
	if (!err)
		err = counters__open(&p->counters, &opts, why);
	if (err) {
		presence__close(p);
		return err;
	}
	*out = p;
	return 0;
}

void presence__close(struct presence *p)
{
	if (!p)
		return;
	counters__close(p->counters);
	perf_events__free(&p->events);
	free(p);
}

int presence__start(struct presence *p)
{
	return counters__enable(p->counters);
}

int presence__stop(struct presence *p)
{
	return counters__disable(p->counters);
}

int presence__ns(struct presence *p, size_t place, uint64_t *ns)
{
	struct counter_value v = {};
	int err = counters__read(p->counters, place, &v);

	*ns = v.running_ns;
	return err;
}
