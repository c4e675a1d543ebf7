// SPDX-License-Identifier: BSD-2-Clause
#include "collect/presence.h"

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

int presence__open(struct presence **out, const struct counters_opts *like, struct buf *why)
{
	struct presence *p = calloc(1, sizeof(*p));
	struct counters_opts opts = *like;
	int err;

	*out = NULL;
	if (!p)
		return -ENOMEM;
	err = perf_events__parse(&p->events, NULL, "dummy", why);
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
