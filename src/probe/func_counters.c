// SPDX-License-Identifier: BSD-2-Clause
/* Opens the perf events of each CPU that the programs read at entries and returns. */
#include <bpf/bpf.h>

#include "probe/func_session.h"

/* Events are pinned: a task may migrate during a call, and the difference of two readings of
 * multiplexed events would mean nothing. */
int func__open_counters(struct func *c, const struct func_opts *opts, struct buf *why)
{
	const struct perf_event_spec *events[FUNC_EVENTS] = {};
	const struct cpu_counters_opts counters = {
		.events = events,
		.nr_events = opts->nr_events,
		.per_cpu = FUNC_EVENTS,
	};
	int err;

	for (size_t e = 0; e < opts->nr_events; e++)
		if (opts->events[e].counter == FUNC_COUNTER_PERF)
			events[e] = opts->events[e].event;
	err = cpu_counters__open(&c->counters, &counters, why);
	return err ? err
		   : cpu_counters__put(&c->counters, bpf_map__fd(c->pairs[0]->skel->maps.counters));
}
