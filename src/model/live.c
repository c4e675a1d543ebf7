// SPDX-License-Identifier: BSD-2-Clause
/* Adds up what tasks use on CPUs in an interval, and holds what is known of that interval. */
#include "model/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "base/strtab.h"

/* A task in one cgroup; if it moves to another, it gets a second entry for that. */
struct task_entry {
	struct live_task is;
	unsigned ends;
	uint32_t other;	    /* earlier entry of the same tid, in another cgroup; or NO_TASK */
	uint32_t last_use;  /* head of the list of its first LISTED_USES uses; or NO_USE */
	uint32_t nr_listed; /* length of that list */
};

enum { NO_TASK = UINT32_MAX, NO_USE = UINT32_MAX, LISTED_USES = 8 };

/* What a task has used on a CPU; its values are in live.values. */
struct use {
	uint32_t task, cpu;
	uint32_t before; /* next in the task's list; NO_USE: its end, or not listed */
};

struct live {
	size_t nr_values;
	struct live_about about;
	struct strtab *names; /* of its events and losses */
	/* Of this interval. */
	struct task_entry *tasks;
	size_t nr_tasks, cap_tasks;
	struct idmap by_tid; /* tid -> the task's latest entry */
	struct use *uses;
	size_t nr_uses, cap_uses;
	struct idmap by_use; /* task << 32 | CPU -> use, of those not in a task's list */
	uint64_t *values;    /* nr_values of each use */
	size_t cap_values;
	size_t nr_cpus; /* that were ever seen */
};

struct live *live__new(size_t nr_values)
{
	struct live *l = nr_values <= LIVE_VALUES ? calloc(1, sizeof(*l)) : NULL;

	if (!l)
		return NULL;
	l->nr_values = nr_values;
	l->names = strtab__new();
	if (!l->names) {
		live__free(l);
		return NULL;
	}
	return l;
}

void live__free(struct live *l)
{
	if (!l)
		return;
	idmap__free(&l->by_tid);
	idmap__free(&l->by_use);
	free(l->tasks);
	free(l->uses);
	free(l->values);
	free(l->about.events);
	strtab__free(l->names);
	free(l);
}

size_t live__nr_values(const struct live *l)
{
	return l->nr_values;
}

size_t live__most_events(const struct live *l)
{
	return l->nr_values > LIVE_EVENTS ? l->nr_values - LIVE_EVENTS : 0;
}

struct live_about *live__about(struct live *l)
{
	return &l->about;
}

const struct live_about *live__interval(const struct live *l)
{
	return &l->about;
}

static int keep_text(struct live *l, const char **text)
{
	uint32_t id;
	int err = *text ? strtab__add(l->names, *text, strlen(*text), &id) : 0;

	if (*text && !err)
		*text = strtab__get(l->names, id);
	return err;
}

int live__set_events(struct live *l, const struct live_event *events, size_t nr)
{
	struct live_event *copy;
	int err = 0;

	if (nr > live__most_events(l))
		return -EINVAL;
	copy = calloc(nr + 1, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < nr && !err; i++) {
		copy[i] = events[i];
		err = keep_text(l, &copy[i].name);
		if (!err)
			err = keep_text(l, &copy[i].unit);
		if (!err)
			err = keep_text(l, &copy[i].why);
	}
	if (err) {
		free(copy);
		return err;
	}
	free(l->about.events);
	l->about.events = copy;
	l->about.nr_events = nr;
	return 0;
}

int live__set_losses(struct live *l, const struct losses *losses)
{
	struct losses copy = *losses;
	int err = 0;

	for (unsigned i = 0; i < copy.nr && !err; i++) {
		err = keep_text(l, &copy.by[i].name);
		if (!err)
			err = keep_text(l, &copy.by[i].text);
		if (!err)
			err = keep_text(l, &copy.by[i].cure);
	}
	if (!err)
		l->about.losses = copy;
	return err;
}

static int find_task(struct live *l, const struct live_task *t, uint32_t *id)
{
	uint32_t others = NO_TASK;
	int err;

	if (!idmap__get(&l->by_tid, live_task__number(t), &others))
		others = NO_TASK;
	for (*id = others; *id != NO_TASK; *id = l->tasks[*id].other)
		if (l->tasks[*id].is.cgroup == t->cgroup || live_task__is_idle(t))
			return 0;
	err = array__grow(&l->tasks, &l->cap_tasks, l->nr_tasks + 1);
	if (!err)
		err = idmap__set(&l->by_tid, live_task__number(t), l->nr_tasks);
	if (err)
		return err;
	*id = l->nr_tasks;
	l->tasks[l->nr_tasks++] =
		(struct task_entry){ .is = *t, .other = others, .last_use = NO_USE };
	return 0;
}

/* Whether the task was on that CPU. Most use few CPUs in an interval: a list will do for those. */
static bool is_used(const struct live *l, uint32_t task, uint32_t cpu, uint32_t *id)
{
	const struct task_entry *t = &l->tasks[task];

	for (*id = t->last_use; *id != NO_USE; *id = l->uses[*id].before)
		if (l->uses[*id].cpu == cpu)
			return true;
	return t->nr_listed == LISTED_USES &&
	       idmap__get(&l->by_use, (uint64_t)task << 32 | cpu, id);
}

static int add_use(struct live *l, uint32_t task, uint32_t cpu, uint32_t *id)
{
	struct task_entry *t = &l->tasks[task];
	bool is_listed = t->nr_listed < LISTED_USES;
	int err = array__grow(&l->uses, &l->cap_uses, l->nr_uses + 1);

	if (!err)
		err = array__grow(&l->values, &l->cap_values, (l->nr_uses + 1) * l->nr_values);
	if (!err && !is_listed)
		err = idmap__set(&l->by_use, (uint64_t)task << 32 | cpu, l->nr_uses);
	if (err)
		return err;
	*id = l->nr_uses;
	memset(&l->values[*id * l->nr_values], 0, l->nr_values * sizeof(*l->values));
	l->uses[l->nr_uses++] = (struct use){ task, cpu, is_listed ? t->last_use : NO_USE };
	if (is_listed) {
		t->last_use = *id;
		t->nr_listed++;
	}
	return 0;
}

int live__add(struct live *l, const struct live_task *t, uint32_t cpu, const uint64_t *values)
{
	uint32_t task, use;
	int err = find_task(l, t, &task);

	if (!err && !is_used(l, task, cpu, &use))
		err = add_use(l, task, cpu, &use);
	if (err)
		return err;
	if (t->first_ns >= l->tasks[task].is.first_ns)
		l->tasks[task].is = *t;
	for (size_t i = 0; i < l->nr_values; i++)
		l->values[use * l->nr_values + i] += values[i];
	live__see_cpus(l, (size_t)cpu + 1);
	return 0;
}

size_t live__nr_cpus(const struct live *l)
{
	return l->nr_cpus;
}

void live__see_cpus(struct live *l, size_t nr)
{
	if (l->nr_cpus < nr)
		l->nr_cpus = nr;
}

void live__mark(struct live *l, unsigned (*ends)(const void *arg, const struct live_task *t),
		const void *arg)
{
	for (size_t i = 0; i < l->nr_tasks; i++)
		if (!live_task__is_idle(&l->tasks[i].is))
			l->tasks[i].ends = ends(arg, &l->tasks[i].is);
}

void live__next(struct live *l)
{
	l->nr_tasks = 0;
	l->nr_uses = 0;
	idmap__clear(&l->by_tid);
	idmap__clear(&l->by_use);
}

int live__clear(struct live *l)
{
	struct strtab *names = strtab__new();

	if (!names)
		return -ENOMEM;
	strtab__free(l->names);
	l->names = names;
	free(l->about.events);
	l->about = (struct live_about){};
	l->nr_cpus = 0;
	live__next(l);
	return 0;
}

size_t live__nr_tasks(const struct live *l)
{
	return l->nr_tasks;
}

const struct live_task *live__task(const struct live *l, size_t i, unsigned *ends)
{
	*ends = l->tasks[i].ends;
	return &l->tasks[i].is;
}

bool live__task_before(const struct live *l, size_t i, size_t *before)
{
	*before = l->tasks[i].other;
	return *before != NO_TASK;
}

size_t live__nr_uses(const struct live *l)
{
	return l->nr_uses;
}

struct live_use live__use(const struct live *l, size_t i)
{
	return (struct live_use){ l->uses[i].task, l->uses[i].cpu, &l->values[i * l->nr_values] };
}

static void sum_up(const struct live *l, bool idle_only, uint64_t *values)
{
	memset(values, 0, LIVE_VALUES * sizeof(*values));
	for (size_t i = 0; i < l->nr_uses; i++) {
		if (idle_only && !live_task__is_idle(&l->tasks[l->uses[i].task].is))
			continue;
		for (size_t k = 0; k < l->nr_values; k++)
			values[k] += l->values[i * l->nr_values + k];
	}
}

void live__totals(const struct live *l, uint64_t *values)
{
	sum_up(l, false, values);
}

void live__idle(const struct live *l, uint64_t *values)
{
	sum_up(l, true, values);
}

uint64_t live__busy_ns(const struct live *l)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < l->nr_uses; i++)
		if (!live_task__is_idle(&l->tasks[l->uses[i].task].is))
			ns += l->values[i * l->nr_values + LIVE_TIME];
	return ns;
}
