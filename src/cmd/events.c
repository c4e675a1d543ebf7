// SPDX-License-Identifier: BSD-2-Clause
/* Parses -e, -F and -c of commands that sample; chooses events where there is no -e. */
#include "cmd/events.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/why.h"
#include "lookup/resolve.h"
#include "perf/open.h"

/* Of our own, which name no program. */
static int add(struct perf_events *e, const char *specs, struct buf *why)
{
	return perf_events__parse(e, &resolve_env, specs, why);
}

/* BPF programs of our kind attach to events that overflow; tracepoints and probes are hits. */
static int check(const struct perf_events *e, struct buf *why)
{
	for (size_t i = 0; i < e->nr; i++) {
		const struct perf_event_spec *ev = &e->items[i];
		const char *reason = NULL;

		if (ev->attr.type == PERF_TYPE_TRACEPOINT || ev->text)
			reason = "only hardware, software, cache, raw, PMU and breakpoint events "
				 "have a rate; 'pmutrace stat' counts this one";
		else if (ev->for_cpus)
			reason = "it counts for several CPUs at once, and knows no code that ran";
		else if (ev->group >= 0)
			reason = "events are sampled each by itself: leave out the { }";
		if (reason && buf__printf(why, "cannot sample '%s': %s", ev->name, reason))
			return -ENOMEM;
		if (reason)
			return -EINVAL;
	}
	return 0;
}

bool events__is_here(const struct perf_event_attr *attr, int cpu)
{
	int fd = perf_open(attr, -1, cpu, -1);

	if (fd >= 0)
		close(fd);
	return fd != -ENOENT && fd != -EOPNOTSUPP && fd != -ENODEV && fd != -EINVAL;
}

/* Cycles where there is a PMU, else cpu-clock, which is announced. */
static int add_default(struct perf_events *e, int cpu, struct buf *why)
{
	struct perf_event_attr attr;
	int err = add(e, "cycles", why);

	if (err)
		return err;
	attr = e->items[0].attr;
	attr.freq = 1;
	attr.sample_freq = DEFAULT_HZ;
	if (events__is_here(&attr, cpu))
		return 0;
	log__notice("no hardware PMU here: sampling cpu-clock instead of cycles");
	perf_events__truncate(e, 0);
	return add(e, "cpu-clock", why);
}

int events__default_counted(struct perf_events *out, int cpu, bool *has_pmu, struct buf *why)
{
	static const char *const names[] = { "cycles", "instructions", "cache-misses" };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !err; i++) {
		err = add(out, names[i], why);
		if (!err && !events__is_here(&out->items[out->nr - 1].attr, cpu))
			perf_events__truncate(out, out->nr - 1);
	}
	*has_pmu = out->nr;
	if (err || out->nr)
		return err;
	return add(out, "page-faults,context-switches", why);
}

/* The rate of each event: its own, else -F or -c, else the default; within the system's limit. */
static void set_rates(struct perf_events *e, const struct event_opts *o)
{
	long limit = perf_sysctl("perf_event_max_sample_rate", 100000);
	bool clamped = false;

	for (size_t i = 0; i < e->nr; i++) {
		struct perf_event_spec *ev = &e->items[i];

		if (!ev->hz && !ev->period) {
			ev->period = o->period;
			ev->hz = o->period ? 0 : o->hz ? o->hz : DEFAULT_HZ;
		}
		if (limit > 0 && ev->hz > (uint64_t)limit) {
			ev->hz = limit;
			clamped = true;
		}
	}
	if (clamped)
		log__notice("rate lowered to %ld Hz: sysctl kernel.perf_event_max_sample_rate",
			    limit);
}

int event_opts__parse(const struct event_opts *o, int cpu, size_t max,
		      struct lookup_reader *lookups, struct perf_events *out, struct buf *why)
{
	const struct perf_event_env env = resolve__by(lookups);
	int err = 0;

	if (o->hz && o->period) {
		return why__refuse(why, -EINVAL,
				   "-F and -c cannot be combined: a rate or a period");
	}
	if (!o->specs.nr)
		err = add_default(out, cpu, why);
	for (size_t i = 0; i < o->specs.nr && !err; i++)
		err = perf_events__parse(out, &env, o->specs.items[i], why);
	if (!err)
		err = check(out, why);
	if (err)
		return err;
	if (out->nr > max) {
		return why__refuse(why, -EINVAL, "%zu events: at most %zu in one run", out->nr,
				   max);
	}
	set_rates(out, o);
	return 0;
}

void event_opts__free(struct event_opts *o)
{
	free((void *)o->specs.items);
}
