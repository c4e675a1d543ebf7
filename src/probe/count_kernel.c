// SPDX-License-Identifier: BSD-2-Clause
/*
 * Probes that need no program: perf events that count on each CPU, filtered by the kernel. With a
 * program there is no way to that, for it is run before the filter is looked at
 * (perf_trace_run_bpf_submit(), kernel/events/core.c).
 */
#include <errno.h>
#include <stdlib.h>

#include "probe/count_session.h"

bool kernel_count__can(const struct count_probe *probe, const struct count_opts *opts)
{
	const struct target *t = opts->target;
	bool tasks = t->nr_pids || t->nr_tids || t->nr_cgroups || t->by_uid || t->by_comm ||
		     t->command || opts->within_fd;

	return probe->event->site.kind == SITE_TRACEPOINT && probe->event->filter && !tasks &&
	       count__has_no_key(probe, opts);
}

static int open_counters(struct kernel_count *c, const struct target *t)
{
	struct counter_place *places = calloc(t->nr_cpus, sizeof(*places));
	struct counters_opts opts = { .events = &c->event,
				      .places = places,
				      .nr_places = t->nr_cpus };
	struct buf unused = {};
	int err;

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_cpus; i++)
		places[i] = (struct counter_place){ -1, (int)t->cpus[i], -1 };
	err = counters__open(&c->counters, &opts, &unused);
	buf__free(&unused);
	free(places);
	return err;
}

int kernel_count__open(struct kernel_count **out, const struct count_probe *probe,
		       const struct count_opts *opts)
{
	struct kernel_count *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->event = (struct perf_events){ .items = probe->event, .nr = 1 };
	c->nr_cpus = opts->target->nr_cpus;
	c->number = probe->number;
	err = open_counters(c, opts->target);
	if (!err && counters__has_programs(c->counters, 0))
		err = -EBUSY;
	if (err) {
		kernel_count__close(c);
		return err;
	}
	*out = c;
	return 0;
}

void kernel_count__close(struct kernel_count *c)
{
	if (!c)
		return;
	counters__close(c->counters);
	free(c);
}

int kernel_count__read(struct kernel_count *c)
{
	uint64_t seen = 0;
	int err = 0;

	for (size_t i = 0; i < c->nr_cpus && !err; i++) {
		struct counter_value v = {};

		err = counters__read(c->counters, i, &v);
		seen += v.value;
	}
	/* A CPU that went offline keeps its count; what was read once is not taken back. */
	if (!err && seen > c->seen)
		c->seen = seen;
	return err;
}
