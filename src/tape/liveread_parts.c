// SPDX-License-Identifier: BSD-2-Clause
/* Reads the parts of an interval: events, losses, tasks, uses, names. */
#include "tape/liveread_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "tape/liveread.h"

static int take_about(struct liveread_state *s, struct cursor *c)
{
	struct live_about *about = live__about(s->live);
	uint32_t nr_cpus;
	int err;

	about->at_ns = cursor__u64(c);
	about->interval_ns = cursor__u64(c);
	about->own_bpf_ns = cursor__u64(c);
	about->own_user_ns = cursor__u64(c);
	about->seen = cursor__u64(c);
	about->kept = cursor__u64(c);
	about->untold = cursor__u64(c);
	about->nr_cpus = cursor__u32(c);
	err = cursor__text(c, &s->text);
	if (!err)
		err = cursor__text(c, &s->more);
	nr_cpus = cursor__u32(c);
	if (err || nr_cpus > LIVEREAD_CPUS_MAX)
		return err ? err : -EBADMSG;
	live__see_cpus(s->live, nr_cpus);
	snprintf(about->host, sizeof(about->host), "%s", s->text.data);
	snprintf(about->kernel, sizeof(about->kernel), "%s", s->more.data);
	return 0;
}

static enum count_state state_of(uint32_t why)
{
	return why == LIVEREAD_COUNTED	       ? COUNT_COUNTED
	       : why == LIVEREAD_NO_PERMISSION ? COUNT_NO_PERMISSION
	       : why == LIVEREAD_NOT_COUNTED   ? COUNT_NOT_COUNTED
					       : COUNT_NOT_SUPPORTED;
}

/* The texts of *e are to be freed, whatever is returned. */
static int take_event(struct liveread_state *s, struct cursor *c, struct live_event *e)
{
	int err = cursor__copy(c, &s->text, &e->name);
	uint32_t why;

	if (!err)
		err = cursor__copy(c, &s->text, &e->unit);
	why = cursor__u32(c);
	e->state = state_of(why);
	if (!err)
		err = cursor__copy(c, &s->text, &e->why);
	if (!err && !why) {
		free((void *)e->why);
		e->why = NULL;
	}
	e->group = (int32_t)cursor__u32(c);
	e->enabled_ns = cursor__u64(c);
	e->running_ns = cursor__u64(c);
	return err;
}

/* The factors of values (live_event.scale); without them they are 1. */
static int take_scales(struct cursor *c, struct live_event *events, uint32_t nr)
{
	for (uint32_t i = 0; i < nr && c->left; i++) {
		uint64_t bits = cursor__u64(c);

		memcpy(&events[i].scale, &bits, sizeof(bits));
		if (!isfinite(events[i].scale) || events[i].scale <= 0)
			return -EBADMSG;
	}
	return 0;
}

static int take_events(struct liveread_state *s, struct cursor *c)
{
	uint32_t nr = cursor__u32(c), i;
	struct live_event *events;
	int err = 0;

	/* Uses have a value for each event, also for those that could not be counted. */
	if (nr > live__most_events(s->live))
		return -EBADMSG;
	events = calloc(nr + 1, sizeof(*events));
	if (!events)
		return -ENOMEM;
	for (i = 0; i < nr && !err; i++)
		err = take_event(s, c, &events[i]);
	if (!err)
		err = take_scales(c, events, nr);
	if (!err && !c->bad)
		err = live__set_events(s->live, events, nr);
	for (i = 0; i < nr; i++) {
		free((void *)events[i].name);
		free((void *)events[i].unit);
		free((void *)events[i].why);
	}
	free(events);
	return err;
}

static int take_losses(struct liveread_state *s, struct cursor *c)
{
	const struct live_about *about = live__about(s->live);
	struct losses losses = { .seen = about->seen, .kept = about->kept };
	int err = 0;

	losses.nr = cursor__u32(c);
	if (losses.nr > LOSSES_MAX)
		return -EBADMSG;
	for (unsigned i = 0; i < losses.nr && !err; i++)
		err = cursor__loss(c, &s->text, &losses.by[i]);
	if (!err && !c->bad)
		err = live__set_losses(s->live, &losses);
	for (unsigned i = 0; i < losses.nr; i++) {
		free((void *)losses.by[i].name);
		free((void *)losses.by[i].text);
		free((void *)losses.by[i].cure);
	}
	return err;
}

/* Tasks stay bytes: one is read when a use is of it. */
static int take_tasks(struct liveread_state *s, struct cursor *c)
{
	s->nr_tasks = cursor__u32(c);
	s->tasks = cursor__part(c, (size_t)s->nr_tasks * LIVEREAD_TASK_BYTES);
	if (s->tasks.bad)
		s->nr_tasks = 0;
	return 0;
}

static struct live_task get_task(const struct liveread_state *s, uint32_t i, uint32_t *ends)
{
	struct cursor c = s->tasks;
	struct live_task t = {};

	cursor__part(&c, (size_t)i * LIVEREAD_TASK_BYTES);
	t.tgid = cursor__u32(&c);
	t.tid = cursor__u32(&c);
	t.cgroup = cursor__u64(&c);
	cursor__comm(&c, t.comm);
	*ends = cursor__u32(&c);
	return t;
}

static int take_uses(struct liveread_state *s, struct cursor *c)
{
	uint32_t nr = cursor__u32(c);
	int err = 0;

	for (uint32_t i = 0; i < nr && !err && !c->bad; i++) {
		uint64_t values[LIVE_VALUES];
		uint32_t task = cursor__u32(c), cpu = cursor__u32(c);
		struct live_task t;
		uint32_t ends;

		for (size_t k = 0; k < live__nr_values(s->live); k++)
			values[k] = cursor__u64(c);
		if (c->bad || task >= s->nr_tasks || cpu >= LIVEREAD_CPUS_MAX)
			return -EBADMSG;
		t = get_task(s, task, &ends);
		err = live__add(s->live, &t, cpu, values);
	}
	return err;
}

static bool is_in(void *arg, uint32_t id)
{
	uint32_t unused;

	return idmap__get(arg, id, &unused);
}

static bool is_not_in(void *arg, uint32_t id)
{
	return !is_in(arg, id);
}

static unsigned ends_of(const void *arg, const struct live_task *t)
{
	uint32_t ends;

	return idmap__get(arg, live_task__number(t), &ends) ? ends : 0;
}

int liveread__mark_ended(struct liveread_state *s)
{
	struct idmap set = {};
	int err = 0;

	for (uint32_t i = 0; i < s->nr_tasks && !err; i++) {
		uint32_t ends;
		struct live_task t = get_task(s, i, &ends);

		if (ends)
			err = idmap__set(&set, t.tid ? t.tid : t.tgid, ends);
	}
	live__mark(s->live, ends_of, &set);
	idmap__free(&set);
	return err;
}

static int take_gone(struct liveread_state *s, struct cursor *c)
{
	uint32_t nr = cursor__u32(c);
	struct idmap set = {};
	int err = 0;

	for (uint32_t i = 0; i < nr && !err && !c->bad; i++)
		err = idmap__set(&set, cursor__u32(c), 0);
	if (!err)
		processes__keep(s->processes, is_not_in, &set);
	idmap__free(&set);
	return err;
}

static int take_process(struct liveread_state *s, struct cursor *c)
{
	struct process one = {};
	int err;

	one.pid = cursor__u32(c);
	one.parent = cursor__u32(c);
	one.uid = cursor__u32(c);
	one.is_kernel = cursor__u32(c);
	cursor__comm(c, one.comm);
	err = cursor__text(c, &s->text);
	if (err || c->bad)
		return err;
	one.command = s->text.data;
	return processes__set(s->processes, &one);
}

static int take_user(struct liveread_state *s, struct cursor *c)
{
	uint32_t uid = cursor__u32(c);
	int err = cursor__text(c, &s->text);

	return err || c->bad ? err : processes__set_user(s->processes, uid, s->text.data);
}

static int take_cgroup(struct liveread_state *s, struct cursor *c)
{
	uint64_t id = cursor__u64(c);
	int err = cursor__text(c, &s->text);

	if (!err)
		err = cursor__text(c, &s->more);
	return err || c->bad ? err
			     : processes__set_cgroup(s->processes, id, s->text.data, s->more.data);
}

static int take_names(struct liveread_state *s, struct cursor *c,
		      int (*take_one)(struct liveread_state *s, struct cursor *c))
{
	uint32_t nr = s->processes ? cursor__u32(c) : 0;
	int err = 0;

	for (uint32_t i = 0; i < nr && !err && !c->bad; i++) {
		if (processes__bytes(s->processes) > LIVEREAD_NAMES_MAX)
			return -EBADMSG;
		err = take_one(s, c);
	}
	return err;
}

static bool is_second(struct liveread_state *s, uint32_t kind)
{
	uint32_t bit = kind <= LIVEREAD_PROFILE ? 1u << kind : 0;
	bool is = s->seen & bit;

	s->seen |= bit;
	return is;
}

int liveread__part(struct liveread_state *s, uint32_t kind, struct cursor *part)
{
	if (is_second(s, kind))
		return -EBADMSG;
	switch (kind) {
	case LIVEREAD_ABOUT:
		return s->live ? take_about(s, part) : 0;
	case LIVEREAD_EVENTS:
		return s->live ? take_events(s, part) : 0;
	case LIVEREAD_LOSSES:
		return s->live ? take_losses(s, part) : 0;
	case LIVEREAD_TASKS:
		return s->live ? take_tasks(s, part) : 0;
	case LIVEREAD_USES:
		return s->live ? take_uses(s, part) : 0;
	case LIVEREAD_GONE:
		return s->processes ? take_gone(s, part) : 0;
	case LIVEREAD_PROCESSES:
		return take_names(s, part, take_process);
	case LIVEREAD_USERS:
		return take_names(s, part, take_user);
	case LIVEREAD_CGROUPS:
		return take_names(s, part, take_cgroup);
	case LIVEREAD_PROFILE:
		return s->samples ? liveread__profile(s, part) : 0;
	default:
		return 0;
	}
}
