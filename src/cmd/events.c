// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/events.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "perf/open.h"

static int add(struct events *e, const char *specs, struct buf *why)
{
	return perf_event__parse_list(&e->items, &e->nr, &e->cap, specs, why);
}

/* Cycles where there is a PMU, else cpu-clock, which is announced. */
static int add_default(struct events *e, int cpu, struct buf *why)
{
	struct perf_event_attr attr;
	int err = add(e, "cycles", why), fd;

	if (err)
		return err;
	attr = e->items[0].attr;
	attr.freq = 1;
	attr.sample_freq = DEFAULT_HZ;
	fd = perf_open(&attr, -1, cpu, -1);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (fd != -ENOENT && fd != -EOPNOTSUPP && fd != -ENODEV && fd != -EINVAL)
		return 0; /* permissions: explained when it is opened for good */
	log__notice("no hardware PMU here: sampling cpu-clock instead of cycles");
	e->nr = 0;
	return add(e, "cpu-clock", why);
}

/* The rate of each event: its own, else -F or -c, else the default; within the system's limit. */
static void set_rates(struct events *e, const struct event_opts *o)
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

int event_opts__parse(const struct event_opts *o, int cpu, size_t max, struct events *out,
		      struct buf *why)
{
	int err = 0;

	if (o->hz && o->period) {
		err = buf__puts(why, "-F and -c cannot be combined: a rate or a period");
		return err ? err : -EINVAL;
	}
	if (!o->specs.nr)
		err = add_default(out, cpu, why);
	for (size_t i = 0; i < o->specs.nr && !err; i++)
		err = add(out, o->specs.items[i], why);
	if (err)
		return err;
	if (out->nr > max) {
		err = buf__printf(why, "%zu events: at most %zu in one run", out->nr, max);
		return err ? err : -EINVAL;
	}
	set_rates(out, o);
	return 0;
}

void event_opts__free(struct event_opts *o)
{
	free((void *)o->specs.items);
}

void events__free(struct events *e)
{
	free(e->items);
	*e = (struct events){};
}
