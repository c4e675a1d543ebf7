// SPDX-License-Identifier: BSD-2-Clause
#include "collect/counting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "collect/places.h"
#include "perf/counters.h"
#include "perf/open.h"

struct counting {
	const struct perf_events *events;
	struct counters *counters;
	struct places places;
	struct counts *counts;
	uint32_t *column;	    /* for each event: which value of a row it adds to */
	struct counter_value *now;  /* of one place */
	struct counter_value *last; /* [place * nr events + event]: at the last reading */
	uint64_t start_ns, read_ns;
	bool by_exec;
};

static enum count_role cache_role(uint64_t config)
{
	static const struct {
		uint32_t cache;
		enum count_role loads, misses;
	} roles[] = {
		{ PERF_COUNT_HW_CACHE_L1D, ROLE_L1D_LOADS, ROLE_L1D_LOAD_MISSES },
		{ PERF_COUNT_HW_CACHE_L1I, ROLE_L1I_LOADS, ROLE_L1I_LOAD_MISSES },
		{ PERF_COUNT_HW_CACHE_LL, ROLE_LLC_LOADS, ROLE_LLC_LOAD_MISSES },
		{ PERF_COUNT_HW_CACHE_DTLB, ROLE_DTLB_LOADS, ROLE_DTLB_LOAD_MISSES },
		{ PERF_COUNT_HW_CACHE_ITLB, ROLE_ITLB_LOADS, ROLE_ITLB_LOAD_MISSES },
	};

	if ((config >> 8 & 0xff) != PERF_COUNT_HW_CACHE_OP_READ)
		return ROLE_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (roles[i].cache == (config & 0xff))
			return config >> 16 ? roles[i].misses : roles[i].loads;
	return ROLE_NONE;
}

static enum count_role role_of(const struct perf_event_attr *attr)
{
	static const enum count_role hardware[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = ROLE_CYCLES,
		[PERF_COUNT_HW_INSTRUCTIONS] = ROLE_INSTRUCTIONS,
		[PERF_COUNT_HW_CACHE_REFERENCES] = ROLE_CACHE_REFS,
		[PERF_COUNT_HW_CACHE_MISSES] = ROLE_CACHE_MISSES,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = ROLE_BRANCHES,
		[PERF_COUNT_HW_BRANCH_MISSES] = ROLE_BRANCH_MISSES,
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = ROLE_STALLED_FRONT,
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = ROLE_STALLED_BACK,
		[PERF_COUNT_HW_REF_CPU_CYCLES] = ROLE_REF_CYCLES,
	};

	if (attr->type == PERF_TYPE_HARDWARE && attr->config < ARRAY_SIZE(hardware))
		return hardware[attr->config];
	if (attr->type == PERF_TYPE_HW_CACHE)
		return cache_role(attr->config);
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_TASK_CLOCK)
		return ROLE_TASK_CLOCK;
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CPU_CLOCK)
		return ROLE_CPU_CLOCK;
	return ROLE_NONE;
}

/* Events of the list that were opened together with this one. */
static size_t group_size(const struct perf_events *l, size_t event)
{
	size_t nr = 0;

	for (size_t i = 0; i < l->nr; i++)
		nr += l->items[i].group == l->items[event].group;
	return nr;
}

/* Why an event is not there at all. */
static int explain(const struct counting *c, size_t event, struct buf *why)
{
	const struct perf_event_spec *spec = &c->events->items[event];
	int err = counters__error(c->counters, event);

	if (!err)
		return 0;
	if (err == -ENODATA && spec->for_cpus)
		return buf__printf(why,
				   "'%s' counts for several CPUs at once, not for tasks: use -a",
				   spec->name);
	if (err == -ENOSPC && counters__group_fit(c->counters, event))
		return buf__printf(why,
				   "its group of %zu needs more counters than the PMU has, which "
				   "are enough for the first %zu; make it smaller",
				   group_size(c->events, event),
				   counters__group_fit(c->counters, event));
	if (err == -ENOSPC && spec->attr.type == PERF_TYPE_BREAKPOINT)
		return buf__puts(why, "the CPU has no breakpoint left");
	if (err == -EXDEV)
		return buf__puts(why, "does not go with the others of its group: it is of another "
				      "PMU, or needs the same counter");
	if ((err == -EACCES || err == -EPERM) && perf_counts_kernel_only(&spec->attr))
		return buf__printf(why,
				   "'%s' happens in the kernel only, and without it would count 0: "
				   "run as root, with CAP_PERFMON, or lower "
				   "kernel.perf_event_paranoid (it is %ld)",
				   spec->name, perf_sysctl("perf_event_paranoid", -1));
	return perf_open__explain(why, err, &spec->attr, spec->name);
}

/* The kernel's part could not be counted: the name says so. */
static int label(const struct counting *c, size_t event, struct buf *name)
{
	const char *spec = c->events->items[event].name;
	const char *behind = strrchr(spec, '/') ? strrchr(spec, '/') : strrchr(spec, ':');

	if (!counters__is_user_only(c->counters, event))
		return buf__puts(name, spec);
	return buf__printf(name, "%s%su", spec, behind ? "" : ":");
}

static int add_event(struct counting *c, size_t i)
{
	const struct perf_event_spec *spec = &c->events->items[i];
	struct buf name = {}, why = {};
	struct counts_event ev = {
		.unit = spec->unit,
		.scale = spec->scale,
		.group = spec->group >= 0 ? spec->group : COUNTS_NO_GROUP,
		.software = spec->attr.type == PERF_TYPE_SOFTWARE,
		.role = role_of(&spec->attr),
	};
	int err = label(c, i, &name);

	if (!err)
		err = explain(c, i, &why);
	ev.name = name.data;
	ev.why = why.len ? why.data : NULL;
	if (!err)
		err = counts__event(c->counts, &ev);
	buf__free(&name);
	buf__free(&why);
	return err;
}

/* Parts of an event (PMU globs, USDT) have no column of their own. */
static int add_events(struct counting *c)
{
	int err = 0;

	for (size_t i = 0; i < c->events->nr && !err; i++) {
		uint32_t whole = c->events->items[i].part_of;

		if (whole != i) {
			c->column[i] = c->column[whole];
			continue;
		}
		c->column[i] = c->counts->nr_events;
		err = add_event(c, i);
	}
	return err;
}

/* Asked for without the kernel, such events would read 0 and say nothing. */
static int check_events(const struct perf_events *events, struct buf *why)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct perf_event_spec *ev = &events->items[i];

		if (ev->attr.type != PERF_TYPE_SOFTWARE || !ev->attr.exclude_kernel ||
		    !perf_counts_kernel_only(&ev->attr))
			continue;
		if (buf__printf(why,
				"'%s' would count 0: it happens in the kernel only; leave out "
				"the modifiers",
				ev->name))
			return -ENOMEM;
		return -EINVAL;
	}
	return 0;
}

/* What is not as it was asked for is announced. */
static void announce(const struct counting *c)
{
	bool user_only = false;

	for (size_t i = 0; i < c->events->nr; i++) {
		const struct perf_event_spec *ev = &c->events->items[i];
		unsigned precise = counters__precise(c->counters, i);

		user_only = user_only || counters__is_user_only(c->counters, i);
		if (ev->most_precise && precise < 3)
			log__notice("'%s': precise_ip %u is the most that there is", ev->name,
				    precise);
	}
	if (user_only)
		log__notice("only user space is counted (:u): kernel.perf_event_paranoid is %ld; "
			    "as root, or with CAP_PERFMON, the kernel's part too",
			    perf_sysctl("perf_event_paranoid", -1));
}

int counting__open(struct counting **out, const struct counting_opts *opts, struct buf *why)
{
	struct counting *c = calloc(1, sizeof(*c));
	struct counters_opts open = {
		.events = opts->events,
		.inherit = opts->target->inherit && !opts->target->nr_tids,
		.enable_on_exec = opts->command,
		.user_only = true,
	};
	int err = -ENOMEM;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->events = opts->events;
	c->by_exec = opts->command;
	c->counts = counts__new();
	c->column = calloc(opts->events->nr + 1, sizeof(*c->column));
	c->now = calloc(opts->events->nr + 1, sizeof(*c->now));
	if (!c->counts || !c->column || !c->now)
		goto out_close;
	c->counts->by = opts->by;
	err = check_events(opts->events, why);
	if (err)
		goto out_close;
	err = places__find(&c->places, opts->target, opts->by, opts->command, why);
	if (err)
		goto out_close;
	open.places = c->places.at;
	open.nr_places = c->places.nr;
	err = counters__open(&c->counters, &open, why);
	if (err)
		goto out_close;
	err = -ENOMEM;
	c->last = calloc(c->places.nr * opts->events->nr + 1, sizeof(*c->last));
	if (!c->last)
		goto out_close;
	err = add_events(c);
	if (err)
		goto out_close;
	announce(c);
	*out = c;
	return 0;
out_close:
	counting__close(c);
	return err;
}

void counting__close(struct counting *c)
{
	if (!c)
		return;
	counters__close(c->counters);
	places__free(&c->places);
	counts__free(c->counts);
	free(c->column);
	free(c->now);
	free(c->last);
	free(c);
}

int counting__start(struct counting *c)
{
	c->start_ns = c->read_ns = clock__now_ns();
	return c->by_exec ? 0 : counters__enable(c->counters);
}

int counting__stop(struct counting *c)
{
	return counters__disable(c->counters);
}

/* The state of an event that is not open on a place, in its words. */
static enum count_state state_of(int err)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return COUNT_NO_PERMISSION;
	case -ESRCH:
	case -ENOSPC: /* no counter is left, or no breakpoint */
	case 0:	      /* open elsewhere */
		return COUNT_NOT_COUNTED;
	default:
		return COUNT_NOT_SUPPORTED;
	}
}

static void add_place(struct counting *c, size_t place, bool since_last, struct counts_row *row)
{
	struct counter_value *last = &c->last[place * c->events->nr];

	for (size_t i = 0; i < c->events->nr; i++) {
		const struct counter_value *now = &c->now[i];
		struct count count = {};

		if (!counters__is_open(c->counters, i, place)) {
			count.state = state_of(counters__error(c->counters, i));
		} else if (!now->fell_off) {
			count.raw = now->value;
			count.enabled_ns = now->enabled_ns;
			count.running_ns = now->running_ns;
			if (since_last) {
				count.raw -= last[i].value;
				count.enabled_ns -= last[i].enabled_ns;
				count.running_ns -= last[i].running_ns;
				last[i] = *now;
			}
		}
		if (counters__is_open(c->counters, i, place))
			count__settle(&count);
		count__add(&row->values[c->column[i]], &count);
	}
}

/* Why an event that is open was never on a counter, as far as that can be told. */
static int explain_uncounted(struct counting *c)
{
	int err = 0;

	for (size_t i = 0; i < c->events->nr && !err; i++) {
		const struct perf_event_spec *ev = &c->events->items[i];
		const struct count *total = &c->counts->totals[c->column[i]];
		struct buf why = {};

		if (total->state != COUNT_NOT_COUNTED || c->counts->events[c->column[i]].why)
			continue;
		if (ev->attr.pinned)
			err = buf__puts(&why, "pinned, but the PMU had no counter for it; without "
					      ":D it would share one");
		else if (total->enabled_ns && ev->group >= 0)
			err = buf__printf(&why,
					  "its group of %zu was never on the PMU: it needs more "
					  "counters than are free; make it smaller",
					  group_size(c->events, i));
		else if (total->enabled_ns)
			err = buf__puts(&why, "the PMU never had a counter for it: others use them "
					      "all (is the NMI watchdog on?)");
		if (!err && why.len)
			err = counts__explain(c->counts, c->column[i], why.data);
		buf__free(&why);
	}
	return err;
}

int counting__read(struct counting *c, bool since_last)
{
	uint64_t now = clock__now_ns();
	struct counts_row *row;
	int err;

	counts__clear(c->counts);
	for (size_t i = 0; i < c->places.nr_rows; i++) {
		err = counts__row(c->counts, &c->places.rows[i], &row);
		if (err)
			return err;
	}
	for (size_t i = 0; i < c->places.nr; i++) {
		err = counters__read(c->counters, i, c->now);
		if (err)
			return err;
		add_place(c, i, since_last, &c->counts->rows[c->places.row[i]]);
	}
	c->counts->duration_ns = now - (since_last ? c->read_ns : c->start_ns);
	c->counts->at_ns = since_last ? now - c->start_ns : 0;
	if (since_last)
		c->read_ns = now;
	counts__finish(c->counts);
	return explain_uncounted(c);
}

struct counts *counting__counts(struct counting *c)
{
	return c->counts;
}
