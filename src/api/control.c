// SPDX-License-Identifier: BSD-2-Clause
/* What ioctls can do to open events. */
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>

#include "api/object.h"
#include "perf/open.h"

static int set_period(int fd, void *arg)
{
	return perf_set_period(fd, *(uint64_t *)arg);
}

/*
 * From Linux 6.16 on the last overflow of a refresh stops an event, and adding it again does not
 * start those of tracepoints, probes and breakpoints (perf_trace_add(), hw_breakpoint_add()):
 * enabled and refreshed, they count nothing any more (seen with 6.18).
 */
static bool stays_stopped(const struct pmutrace_events *e, size_t event)
{
	uint32_t type = e->list.items[e->columns[event].first].attr.type;

	return type == PERF_TYPE_TRACEPOINT || type == PERF_TYPE_BREAKPOINT ||
	       column__bpf_type(e, event) == BPF_PROG_TYPE_KPROBE;
}

/* On its CPU now, and with it its event: this thread, or a CPU. */
static bool is_there(const struct pmutrace_events *e, size_t place)
{
	const struct counter_place *at = &e->places[place];
	pid_t tid = at->pid ? at->pid : e->opener;

	return at->pid < 0 || (tid == gettid() && at->cpu < 0);
}

/* 0: nothing to start, or it can be; -EOPNOTSUPP: it is stopped where nobody can start it. */
static int check_start(const struct pmutrace_events *e, size_t event)
{
	if (!e->columns[event].refreshed || !stays_stopped(e, event))
		return 0;
	for (size_t place = 0; place < e->nr_places; place++)
		if (pmutrace_fd(e, event, place) >= 0 && !is_there(e, place))
			return -EOPNOTSUPP;
	return 0;
}

/* A new period starts an event that is on its CPU, whatever stopped it: __perf_event_period(). */
static int start_again(const struct pmutrace_events *e, size_t event)
{
	const struct api_event *c = &e->columns[event];
	uint64_t period = c->period ? c->period : pmutrace_attr(e, event)->sample_period;

	if (!c->refreshed || !stays_stopped(e, event))
		return 0;
	return column__each(e, event, set_period, &period);
}

int pmutrace_enable(struct pmutrace_events *e)
{
	int err = 0;

	for (size_t i = 0; i < e->nr_columns && !err; i++)
		err = check_start(e, i);
	if (!err)
		err = counters__enable(e->counters);
	for (size_t i = 0; i < e->nr_columns && !err; i++)
		err = start_again(e, i);
	if (!err && e->presence)
		err = presence__start(e->presence);
	e->enabled = !err;
	return err;
}

int pmutrace_disable(struct pmutrace_events *e)
{
	int first = e->presence ? presence__stop(e->presence) : 0;
	int err = counters__disable(e->counters);

	e->enabled = false;
	return first ? first : err;
}

int pmutrace_reset(struct pmutrace_events *e)
{
	return counters__reset(e->counters);
}

/* Errors that are the same for all. */
static int explain(const struct pmutrace_events *e, size_t event, int err,
		   struct pmutrace_error *why)
{
	if (!err)
		return error__none(why);
	if (err == -ERANGE)
		return error__say(why, err, "there is no event %zu", event);
	if (err == -ENODATA)
		return error__say(why, err, "'%s' is not open", pmutrace_label(e, event));
	return error__say(why, err, "'%s': %s", pmutrace_label(e, event), strerror(-err));
}

static int refresh(int fd, void *arg)
{
	return perf_refresh(fd, *(unsigned int *)arg);
}

int pmutrace_refresh(struct pmutrace_events *e, size_t event, unsigned int overflows,
		     struct pmutrace_error *why)
{
	int err = -EINVAL;

	/* To the kernel 0 means: without end. */
	if (!overflows)
		return error__say(why, err, "refresh needs a number of overflows above 0");
	if (event < e->nr_columns && check_start(e, event))
		return error__say(why, -EOPNOTSUPP,
				  "'%s' was refreshed before: of another task, or of a thread on "
				  "one CPU, the kernel does not start it again; open it anew",
				  pmutrace_label(e, event));
	e->enabled = false; /* later on */
	err = column__each(e, event, refresh, &overflows);
	if (err == -EINVAL)
		return error__say(why, err,
				  "'%s' cannot be refreshed: it needs a sample_period, and neither "
				  "inherit nor a leader",
				  pmutrace_label(e, event));
	if (!err)
		err = start_again(e, event);
	if (!err)
		e->columns[event].refreshed = true;
	return explain(e, event, err, why);
}

int pmutrace_set_period(struct pmutrace_events *e, size_t event, uint64_t period,
			struct pmutrace_error *why)
{
	int err = column__each(e, event, set_period, &period);

	if (!err)
		e->columns[event].period = period;
	if (err == -EINVAL)
		return error__say(why, err,
				  "'%s' takes no period of %llu: it must sample, and a frequency "
				  "be at most kernel.perf_event_max_sample_rate (%ld)",
				  pmutrace_label(e, event), (unsigned long long)period,
				  perf_sysctl("perf_event_max_sample_rate", -1));
	return explain(e, event, err, why);
}

static int set_filter(int fd, void *arg)
{
	return perf_set_filter(fd, arg);
}

int pmutrace_set_filter(struct pmutrace_events *e, size_t event, const char *filter,
			struct pmutrace_error *why)
{
	int err;

	if (!filter)
		return error__say(why, -EINVAL, "filter is NULL");
	err = column__each(e, event, set_filter, (void *)filter);
	if (err == -EINVAL)
		return error__say(why, err,
				  "the filter '%s' does not fit '%s': only tracepoints have one, "
				  "of fields that they have",
				  filter, pmutrace_label(e, event));
	if (err == -EEXIST)
		return error__say(why, err, "'%s' has a filter, and the kernel changes none",
				  pmutrace_label(e, event));
	return explain(e, event, err, why);
}

int pmutrace_set_output(struct pmutrace_events *e, size_t event, const struct pmutrace_events *to,
			size_t to_event, struct pmutrace_error *why)
{
	int err = 0, first = 0, fd, to_fd = -1;
	bool any = false;

	if (event >= e->nr_columns || (to && to_event >= to->nr_columns))
		return error__say(why, -ERANGE, "there is no event %zu",
				  event >= e->nr_columns ? event : to_event);
	if (to && to->nr_places != e->nr_places)
		return error__say(why, -EINVAL, "'%s' and '%s' are open on different places",
				  pmutrace_label(e, event), pmutrace_label(to, to_event));
	for (size_t place = 0; place < e->nr_places; place++) {
		fd = pmutrace_fd(e, event, place);
		if (to)
			to_fd = pmutrace_fd(to, to_event, place);
		if (fd < 0 || (to && to_fd < 0))
			continue;
		any = true;
		err = perf_set_output(fd, to_fd);
		first = first ? first : err;
	}
	if (first == -EINVAL)
		return error__say(why, first,
				  "'%s' cannot write there: events of a ring need one clock, and "
				  "one CPU or thread, and those with a ring of their own keep it",
				  pmutrace_label(e, event));
	return explain(e, event, any ? first : -ENODATA, why);
}
