// SPDX-License-Identifier: BSD-2-Clause
/* Fills a live view from the session of counters: uses, ends, losses, pmutrace's own cost. */
#include "live/top_tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/files.h"
#include "live/endings.h"
#include "probe/top.h"
#include "stat/counting_why.h"

/* What is counted since the start, as it was when the interval began. */
struct counted {
	uint64_t now_ns, user_ns;
	struct top_stats stats;
	struct losses losses;
	uint64_t enabled_ns[TOP_EVENTS], running_ns[TOP_EVENTS];
};

struct top_tasks {
	struct session *session;
	struct live *shown, *filled; /* the last interval, and this one */
	struct counted before;
	struct live_event events[TOP_EVENTS]; /* names and units: copied */
	size_t nr_events;
	bool paused;
	struct endings endings; /* in this interval */
	uint64_t others_ns;	/* CPU time of other sources in it: top_tasks__add_own() */
};

_Static_assert((int)TOP_TASKS_EVENTS == (int)TOP_VALUES, "values come as they are");
_Static_assert((int)TOP_VALUES_MAX <= (int)LIVE_VALUES, "and all of them");

/*
 * live_event.group: a number for events that may be multiplexed, one for the members of a group and
 * one for each other event; -1 for software events, unless a hardware event is in their group.
 */
static int turns_of(const struct perf_events *l, size_t event)
{
	const struct perf_event_spec *ev = &l->items[event];

	if (ev->group == EVENT_NO_GROUP)
		return perf_event__is_hardware(&ev->attr) ? l->nr_groups + (int)event : -1;
	for (size_t i = 0; i < l->nr; i++)
		if (l->items[i].group == ev->group && perf_event__is_hardware(&l->items[i].attr))
			return ev->group;
	return -1;
}

static int name_events(struct top_tasks *t, const struct perf_events *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		struct live_event *e = &t->events[t->nr_events++];
		int err;

		*e = (struct live_event){
			.name = strdup(l->items[i].name),
			.unit = strdup(l->items[i].unit),
			.scale = l->items[i].scale,
			.group = turns_of(l, i),
		};
		err = top__left_out(t->session, i, &e->why);
		if (err)
			e->state = counting_why__state(err);
		if (!e->name || !e->unit)
			return -ENOMEM;
	}
	return live__set_events(t->shown, t->events, t->nr_events);
}

static void name_host(struct live_about *a, size_t nr_cpus)
{
	struct utsname name;

	a->nr_cpus = nr_cpus;
	if (uname(&name))
		return;
	snprintf(a->host, sizeof(a->host), "%.*s", (int)sizeof(a->host) - 1, name.nodename);
	snprintf(a->kernel, sizeof(a->kernel), "%.*s", (int)sizeof(a->kernel) - 1, name.release);
}

static int open_models(struct top_tasks *t, const struct perf_events *events)
{
	t->shown = live__new(TOP_VALUES + events->nr);
	t->filled = live__new(TOP_VALUES + events->nr);
	if (!t->shown || !t->filled)
		return -ENOMEM;
	name_host(live__about(t->shown), top__nr_cpus(t->session));
	name_host(live__about(t->filled), top__nr_cpus(t->session));
	return name_events(t, events);
}

int top_tasks__open(struct top_tasks **out, const struct top_tasks_opts *opts, struct buf *why)
{
	const struct perf_event_spec *events[TOP_EVENTS];
	const struct top_opts top = {
		.events = events,
		.nr_events = opts->events->nr,
		.by = BY_CGROUP | (opts->processes_only ? 0 : BY_TID | BY_COMM),
		.max_keys = opts->max_keys,
		.measures_all = opts->measures_all,
	};
	struct top_tasks *t;
	int err;

	*out = NULL;
	if (opts->events->nr > TOP_EVENTS)
		return buf__printf(why, "at most %d events at once", TOP_EVENTS) ? -ENOMEM
										 : -EINVAL;
	for (size_t i = 0; i < opts->events->nr; i++)
		events[i] = &opts->events->items[i];
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	err = top__open(&t->session, &top, why);
	if (!err)
		err = open_models(t, opts->events);
	if (!err)
		err = files__check_room(4); /* for /proc, to look processes up */
	if (err) {
		top_tasks__close(t);
		return err;
	}
	*out = t;
	return 0;
}

void top_tasks__close(struct top_tasks *t)
{
	if (!t)
		return;
	session__close(t->session);
	live__free(t->shown);
	live__free(t->filled);
	endings__free(&t->endings);
	for (size_t i = 0; i < t->nr_events; i++) {
		free((char *)t->events[i].name);
		free((char *)t->events[i].unit);
	}
	free(t);
}

static uint64_t own_user_ns(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		return 0;
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000ull +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000ull;
}

static int look(const struct top_tasks *t, struct counted *out)
{
	int err = 0;

	*out = (struct counted){ .now_ns = top__now_ns(t->session), .user_ns = own_user_ns() };
	top__stats(t->session, &out->stats);
	session__losses(t->session, &out->losses);
	for (size_t i = 0; i < t->nr_events && !err; i++)
		err = session__times(t->session, i, &out->enabled_ns[i], &out->running_ns[i]);
	return err;
}

int top_tasks__start(struct top_tasks *t)
{
	int err = session__start(t->session);

	return err ? err : look(t, &t->before);
}

static int on_closed(void *arg)
{
	(void)arg;
	return 0;
}

static int on_key(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	(void)arg;
	(void)s;
	*handle = 0;
	return 0;
}

static int on_count(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t samples,
		    uint64_t weight, const struct table_value *values)
{
	struct top_tasks *t = arg;
	struct live_task task = {
		.tgid = s->key->tgid,
		.tid = s->key->tid,
		.parent = values[TOP_TIME].max,
		.cgroup = s->key->cgroup,
		.first_ns = s->first_ns,
	};
	const struct ending_piece piece = {
		.tgid = task.tgid,
		.tid = task.tid,
		.alive_ns = top_moment_ns(values[TOP_SWITCHES].min),
		.ended_ns = top_moment_ns(values[TOP_SWITCHES].max),
		.with_process = values[TOP_SWITCHES].max & TOP_WITH_PROCESS,
	};
	uint64_t used[LIVE_VALUES] = {};
	int err;

	(void)handle;
	(void)samples;
	(void)weight;
	_Static_assert(sizeof(task.comm) == sizeof(s->key->comm), "comm");
	memcpy(task.comm, s->key->comm, sizeof(task.comm));
	for (size_t i = 0; i < live__nr_values(t->filled); i++)
		used[i] = values[i].sum;
	err = endings__add(&t->endings, &piece);
	return err ? err : live__add(t->filled, &task, s->cpu, used);
}

static struct rows_reader reader_of(struct top_tasks *t)
{
	return (struct rows_reader){ on_closed, on_key, on_count, t };
}

int top_tasks__poll(struct top_tasks *t)
{
	const struct rows_reader reader = reader_of(t);
	int err;

	if (!session__is_half_full(t->session))
		return 0;
	err = session__drain(t->session, &reader);
	return err ? err : endings__settle(&t->endings);
}

unsigned top_tasks__patience_ms(const struct top_tasks *t)
{
	return session__patience_ms(t->session);
}

static unsigned ends_of(const void *arg, const struct live_task *task)
{
	const struct top_tasks *t = arg;

	return endings__of(&t->endings, task);
}

/* What there is to say of the interval that ends now. */
static int tell(struct top_tasks *t)
{
	struct live_about *a = live__about(t->filled);
	struct counted now;
	int err = look(t, &now);

	if (err)
		return err;
	a->at_ns = clock__wall_ns() - (clock__now_ns() - now.now_ns);
	a->interval_ns = now.now_ns - t->before.now_ns;
	a->nr_cpus = top__nr_cpus(t->session);
	a->own_bpf_ns = now.stats.own_ns - t->before.stats.own_ns + t->others_ns;
	t->others_ns = 0;
	a->own_user_ns = now.user_ns - t->before.user_ns;
	a->untold = now.stats.untold - t->before.stats.untold;
	a->losses = now.losses;
	losses__subtract(&a->losses, &t->before.losses);
	a->losses.kept = a->losses.seen - losses__sum(&a->losses);
	a->seen = a->losses.seen;
	a->kept = a->losses.kept;
	for (size_t i = 0; i < t->nr_events; i++) {
		t->events[i].enabled_ns = now.enabled_ns[i] - t->before.enabled_ns[i];
		t->events[i].running_ns = now.running_ns[i] - t->before.running_ns[i];
	}
	t->before = now;
	return live__set_events(t->filled, t->events, t->nr_events);
}

/* What an event that is off says. */
static const char stands_still[] = "left out to keep --max-overhead";

static void note_still(struct top_tasks *t, size_t nr_counted)
{
	for (size_t i = 0; i < t->nr_events; i++) {
		struct live_event *e = &t->events[i];
		const bool is_off = i >= nr_counted && top__may_be_off(t->session, i);

		if (is_off && !e->why)
			e->why = stands_still;
		else if (!is_off && e->why == stands_still)
			e->why = NULL;
		if (e->why == stands_still)
			e->state = COUNT_NOT_COUNTED;
		else if (!e->why)
			e->state = (struct live_event){}.state;
	}
}

/* Of a pause nothing was charged; what is known of it ends with it. */
static int end_pause(struct top_tasks *t)
{
	const struct rows_reader reader = reader_of(t);
	int err = session__flush(t->session, &reader);

	if (!err)
		err = endings__settle(&t->endings);
	if (!err)
		err = look(t, &t->before);
	endings__clear(&t->endings);
	live__next(t->filled);
	return err;
}

int top_tasks__spare(struct top_tasks *t, const struct top_thrift *thrift)
{
	int err = t->paused && !thrift->paused ? end_pause(t) : 0;

	if (!err)
		err = top__spare(t->session, thrift);
	if (err)
		return err;
	t->paused = thrift->paused;
	note_still(t, thrift->nr_events);
	return 0;
}

uint64_t top_tasks__own_ns(const struct top_tasks *t)
{
	return session__own_ns(t->session);
}

void top_tasks__add_own(struct top_tasks *t, uint64_t ns)
{
	t->others_ns += ns;
}

int top_tasks__refresh(struct top_tasks *t, uint64_t *ns)
{
	const struct rows_reader reader = reader_of(t);
	struct live *last = t->shown;
	int err = session__flush(t->session, &reader);

	if (!err)
		err = endings__settle(&t->endings);
	if (!err)
		err = tell(t);
	if (err)
		return err;
	live__mark(t->filled, ends_of, t);
	endings__clear(&t->endings);
	*ns = live__about(t->filled)->interval_ns;
	t->shown = t->filled;
	t->filled = last;
	live__next(t->filled);
	return 0;
}

const struct live *top_tasks__live(const struct top_tasks *t)
{
	return t->shown;
}
