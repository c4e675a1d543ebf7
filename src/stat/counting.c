// SPDX-License-Identifier: BSD-2-Clause
/* One counting: opens the counters of a target, reads them into rows, tells what is missing. */
#include "stat/counting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/why.h"
#include "machine/cpus.h"
#include "perf/counters.h"
#include "perf/open.h"
#include "stat/counting_role.h"
#include "stat/counting_why.h"
#include "stat/places.h"
#include "stat/presence.h"

struct counting {
	const struct perf_events *events;
	struct counters *counters;
	struct places places;
	struct counts *counts;
	uint32_t *column;	   /* for each event: which value of a row it adds to */
	struct counter_value *now; /* of one place */
	struct event_count *last;  /* [place * nr events + event]: at the last reading */
	struct presence *presence; /* NULL: places are not tasks on one CPU, or no event needs it */
	uint64_t present_ns;	   /* its task's time on the CPU, of the place being read */
	uint64_t start_ns, read_ns;
	bool *online; /* by CPU number, room for nr_cpus; NULL: no place is a CPU */
	uint32_t nr_cpus;
	uint64_t mended_ns;		      /* when offline CPUs were last looked for */
	uint64_t missed_ns, missed_before_ns; /* CPUs not counted: in all; by last reading */
	bool by_exec;
};

static struct counting_why who_asks(const struct counting *c)
{
	return (struct counting_why){ c->events, c->counters, &c->places };
}

/* The name of the event's column: marked where only user mode could be counted. */
static int label(const struct counting *c, size_t event, struct buf *name)
{
	const struct perf_event_spec *spec = &c->events->items[event];

	if (!counters__is_user_only(c->counters, event))
		return buf__puts(name, spec->name);
	return perf_event__put_user_name(spec, name);
}

static int add_event(struct counting *c, size_t i)
{
	const struct perf_event_spec *spec = &c->events->items[i];
	struct buf name = {}, why = {}, lacks = {};
	const struct counting_why w = who_asks(c);
	struct counts_event ev = {
		.unit = spec->unit,
		.scale = spec->scale,
		.group = spec->group >= 0 ? spec->group : COUNTS_NO_GROUP,
		.software = spec->attr.type == PERF_TYPE_SOFTWARE,
		.role = counting_role(&spec->attr),
	};
	int err = label(c, i, &name);

	if (!err)
		err = counting_why__nowhere(&w, i, &why);
	if (!err)
		err = counting_why__lacks(&w, i, &lacks);
	ev.name = name.data;
	ev.why = why.len ? why.data : NULL;
	ev.lacks = lacks.len ? lacks.data : NULL;
	if (!err)
		err = counts__event(c->counts, &ev);
	buf__free(&name);
	buf__free(&why);
	buf__free(&lacks);
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

int counting__check_event(const struct perf_event_spec *ev, struct buf *why)
{
	if (ev->attr.type != PERF_TYPE_SOFTWARE || !ev->attr.exclude_kernel ||
	    !perf_counts_kernel_only(&ev->attr))
		return 0;
	return why__refuse(why, -EINVAL,
			   "'%s' would count 0: it happens in the kernel only; leave out the "
			   "modifiers",
			   ev->name);
}

static int check_events(const struct perf_events *events, struct buf *why)
{
	int err = 0;

	for (size_t i = 0; i < events->nr && !err; i++)
		err = counting__check_event(&events->items[i], why);
	return err;
}

/* One notice for all events that are not counted on the same part of the target. */
static void announce_lacks(const struct counts *c, size_t event)
{
	const char *lacks = c->events[event].lacks;
	struct buf names = {};
	int err = 0;

	for (size_t i = 0; i < c->nr_events && lacks && !err; i++) {
		if (!c->events[i].lacks || strcmp(c->events[i].lacks, lacks))
			continue;
		if (i < event)
			lacks = NULL; /* told with that one */
		else
			err = buf__printf(&names, "%s%s", names.len ? ", " : "", c->events[i].name);
	}
	if (lacks)
		log__notice("%s: %s", names.len ? names.data : "", lacks);
	buf__free(&names);
}

/* Notices about what differs from what was asked for. */
static void announce(const struct counting *c)
{
	bool user_only = false;

	for (size_t i = 0; i < c->counts->nr_events; i++)
		announce_lacks(c->counts, i);

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

static int follow_cpus(struct counting *c)
{
	int err;

	if (!counters__are_on_cpus(c->counters))
		return 0;
	err = cpus__possible("", &c->nr_cpus);
	if (err)
		return err;
	c->online = calloc(c->nr_cpus + 1, sizeof(*c->online));
	return c->online ? 0 : -ENOMEM;
}

static int mend(struct counting *c, bool last)
{
	c->mended_ns = clock__now_ns();
	if (cpus__are_online("", c->online, c->nr_cpus))
		return 0; /* no free file descriptor: the next poll tries again */
	return counters__mend(c->counters, c->online, c->nr_cpus, last, &c->missed_ns);
}

int counting__poll(struct counting *c)
{
	if (!c->online || clock__now_ns() - c->mended_ns < COUNTING_POLL_MS * 1000000ull)
		return 0;
	return mend(c, false);
}

bool counting__is_polled(const struct counting *c)
{
	return c->online;
}

static int check_any(const struct counting *c, bool command, struct buf *why)
{
	const struct counting_why w = who_asks(c);

	return counting_why__nothing(&w, c->counts, command, why);
}

int counting__open(struct counting **out, const struct counting_opts *opts, struct buf *why)
{
	struct counting *c = calloc(1, sizeof(*c));
	struct counters_opts open = {
		.events = opts->events,
		.inherit = opts->target->inherit && !opts->target->nr_tids,
		.enable_on_exec = opts->command,
		.user_only = true,
		.none = true,
		/* Signals, an output, a file of /proc; each process that runloop.c watches. */
		.spare_fds = 3 + opts->target->nr_pids + opts->target->nr_tids,
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
	if (presence__is_needed(&open)) {
		open.spare_fds += c->places.nr;
		err = presence__open(&c->presence, &open, why);
		if (err)
			goto out_close;
	}
	err = counters__open(&c->counters, &open, why);
	if (err)
		goto out_close;
	err = -ENOMEM;
	c->last = calloc(c->places.nr * opts->events->nr + 1, sizeof(*c->last));
	if (!c->last)
		goto out_close;
	err = add_events(c);
	if (!err)
		err = follow_cpus(c);
	if (!err)
		err = check_any(c, opts->command, why);
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
	presence__close(c->presence);
	places__free(&c->places);
	counts__free(c->counts);
	free(c->column);
	free(c->now);
	free(c->last);
	free(c->online);
	free(c);
}

int counting__start(struct counting *c)
{
	int err;

	c->start_ns = c->read_ns = clock__now_ns();
	if (c->by_exec)
		return 0;
	err = counters__enable(c->counters);
	return !err && c->presence ? presence__start(c->presence) : err;
}

int counting__stop(struct counting *c)
{
	int err = c->online ? mend(c, true) : 0;

	if (!err && c->presence)
		err = presence__stop(c->presence);
	if (!err)
		err = counters__disable(c->counters);
	counters__tell_programs(c->counters);
	return err;
}

/* Why an event is not open on a place. */
static enum count_state state_of(const struct counters *c, size_t event, size_t place)
{
	int err = counters__error_at(c, event, place);

	if (err == -ENODATA) /* not meant for this place: the event's own error, if any */
		err = counters__error(c, event);
	return counting_why__state(err);
}

/* What one event counted in one place. */
static struct event_count count_of(struct counting *c, size_t event, size_t place, bool since_last)
{
	const struct counter_place *at = &c->places.at[place];
	const struct counter_value *now = &c->now[event];
	struct event_count count = {};

	if (!counters__is_open(c->counters, event, place))
		return (struct event_count){ .state = state_of(c->counters, event, place) };
	if (!now->fell_off) {
		count.raw = now->value;
		count.enabled_ns =
			presence__enabled_ns(now, at, &c->events->items[event].attr, c->present_ns);
		count.running_ns = now->running_ns;
		/* A CPU is enabled no longer than the run; a task has its children's time too. */
		if (at->pid < 0)
			event_count__bound(&count, clock__now_ns() - c->start_ns);
		if (since_last)
			event_count__since(&count, &c->last[place * c->events->nr + event]);
	}
	event_count__settle(&count);
	return count;
}

static void add_place(struct counting *c, size_t place, bool since_last, struct counts_row *row)
{
	for (size_t i = 0; i < c->events->nr; i++) {
		const struct event_count count = count_of(c, i, place, since_last);

		event_count__add(&row->values[c->column[i]], &count);
	}
}

/* Why an event that is open was never on a counter, as far as that can be told. */
static int explain_uncounted(struct counting *c)
{
	const struct counting_why w = who_asks(c);
	int err = 0;

	for (size_t i = 0; i < c->events->nr && !err; i++) {
		const struct event_count *total = &c->counts->totals[c->column[i]];
		struct buf why = {};

		if (total->state != COUNT_NOT_COUNTED || c->counts->events[c->column[i]].why)
			continue;
		err = counting_why__uncounted(&w, i, total, &why);
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
		err = c->presence ? presence__ns(c->presence, i, &c->present_ns) : 0;
		if (!err)
			err = counters__read(c->counters, i, c->now);
		if (err)
			return err;
		add_place(c, i, since_last, &c->counts->rows[c->places.row[i]]);
	}
	c->counts->duration_ns = now - (since_last ? c->read_ns : c->start_ns);
	c->counts->at_ns = since_last ? now - c->start_ns : 0;
	c->counts->missed_ns = c->missed_ns - (since_last ? c->missed_before_ns : 0);
	c->missed_before_ns = c->missed_ns;
	if (since_last)
		c->read_ns = now;
	counts__finish(c->counts);
	return explain_uncounted(c);
}

struct counts *counting__counts(struct counting *c)
{
	return c->counts;
}

struct counts *counting__take(struct counting *c)
{
	struct counts *counts = c->counts;

	c->counts = NULL;
	return counts;
}
