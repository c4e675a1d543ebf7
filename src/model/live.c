// SPDX-License-Identifier: BSD-2-Clause
#include "model/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "base/strtab.h"

/* In one cgroup: another one has an entry of its own. */
struct task {
	struct live_task is;
	unsigned ends;
	uint32_t other; /* an earlier entry of its number; NO_TASK */
};

enum { NO_TASK = UINT32_MAX };

/* What a task has used on a CPU; its values are in live.values. */
struct use {
	uint32_t task, cpu;
};

struct live {
	size_t nr_values;
	struct live_about about;
	struct strtab *names; /* of its events */
	/* Of this interval. */
	struct task *tasks;
	size_t nr_tasks, cap_tasks;
	struct idmap by_tid; /* its last entry */
	struct use *uses;
	size_t nr_uses, cap_uses;
	struct idmap by_use; /* task << 32 | CPU */
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
	struct live_event *copy = calloc(nr + 1, sizeof(*copy));
	int err = copy ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr && !err; i++) {
		copy[i] = events[i];
		err = keep_text(l, &copy[i].name);
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

/* Threads and processes are numbered alike. */
static uint32_t number_of(const struct live_task *t)
{
	return t->tid ? t->tid : t->tgid;
}

static bool is_idle(const struct live_task *t)
{
	return !number_of(t);
}

static int find_task(struct live *l, const struct live_task *t, uint32_t *id)
{
	uint32_t others = NO_TASK;
	int err;

	if (!idmap__get(&l->by_tid, number_of(t), &others))
		others = NO_TASK;
	for (*id = others; *id != NO_TASK; *id = l->tasks[*id].other)
		if (l->tasks[*id].is.cgroup == t->cgroup || is_idle(t))
			return 0;
	err = array__grow(&l->tasks, &l->cap_tasks, l->nr_tasks + 1);
	if (!err)
		err = idmap__set(&l->by_tid, number_of(t), l->nr_tasks);
	if (err)
		return err;
	*id = l->nr_tasks;
	l->tasks[l->nr_tasks++] = (struct task){ .is = *t, .other = others };
	return 0;
}

static int find_use(struct live *l, uint32_t task, uint32_t cpu, uint32_t *id)
{
	uint64_t key = (uint64_t)task << 32 | cpu;
	int err;

	if (idmap__get(&l->by_use, key, id))
		return 0;
	err = array__grow(&l->uses, &l->cap_uses, l->nr_uses + 1);
	if (!err)
		err = array__grow(&l->values, &l->cap_values, (l->nr_uses + 1) * l->nr_values);
	if (!err)
		err = idmap__set(&l->by_use, key, l->nr_uses);
	if (err)
		return err;
	*id = l->nr_uses;
	memset(&l->values[*id * l->nr_values], 0, l->nr_values * sizeof(*l->values));
	l->uses[l->nr_uses++] = (struct use){ task, cpu };
	return 0;
}

int live__add(struct live *l, const struct live_task *t, uint32_t cpu, const uint64_t *values)
{
	uint32_t task, use;
	int err = find_task(l, t, &task);

	if (!err)
		err = find_use(l, task, cpu, &use);
	if (err)
		return err;
	if (t->first_ns >= l->tasks[task].is.first_ns)
		l->tasks[task].is = *t;
	for (size_t i = 0; i < l->nr_values; i++)
		l->values[use * l->nr_values + i] += values[i];
	if (l->nr_cpus <= cpu)
		l->nr_cpus = (size_t)cpu + 1;
	return 0;
}

void live__mark(struct live *l, unsigned (*ends)(const void *arg, const struct live_task *t),
		const void *arg)
{
	for (size_t i = 0; i < l->nr_tasks; i++)
		if (!is_idle(&l->tasks[i].is))
			l->tasks[i].ends = ends(arg, &l->tasks[i].is);
}

void live__next(struct live *l)
{
	l->nr_tasks = 0;
	l->nr_uses = 0;
	idmap__clear(&l->by_tid);
	idmap__clear(&l->by_use);
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

size_t live__nr_uses(const struct live *l)
{
	return l->nr_uses;
}

struct live_use live__use(const struct live *l, size_t i)
{
	return (struct live_use){ l->uses[i].task, l->uses[i].cpu, &l->values[i * l->nr_values] };
}

void live__totals(const struct live *l, uint64_t *values)
{
	memset(values, 0, LIVE_VALUES * sizeof(*values));
	for (size_t i = 0; i < l->nr_uses; i++)
		for (size_t k = 0; k < l->nr_values; k++)
			values[k] += l->values[i * l->nr_values + k];
}

uint64_t live__busy_ns(const struct live *l)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < l->nr_uses; i++)
		if (!is_idle(&l->tasks[l->uses[i].task].is))
			ns += l->values[i * l->nr_values + LIVE_TIME];
	return ns;
}

static void add_values(const struct live *l, struct live_row *row, const uint64_t *values)
{
	for (size_t i = 0; i < l->nr_values; i++)
		row->values[i] += values[i];
}

static int add_row(struct live_rows *out, uint64_t id, struct live_row **row)
{
	int err = array__grow(&out->items, &out->cap, out->nr + 1);

	if (err)
		return err;
	*row = &out->items[out->nr++];
	**row = (struct live_row){ .id = id };
	return 0;
}

static bool is_wanted(const struct live_filter *f, const struct live_task *t)
{
	return !f || f->wants(f->arg, t);
}

static bool is_wanted_use(const struct live_filter *f, const struct use *u)
{
	return !f || !f->on_cpu || u->cpu == f->cpu;
}

static int cpu_rows(const struct live *l, const struct live_filter *f, struct live_rows *out)
{
	struct live_row *row;

	for (size_t i = 0; i < l->nr_cpus; i++) {
		int err = add_row(out, i, &row);

		if (err)
			return err;
	}
	for (size_t i = 0; i < l->nr_uses; i++) {
		struct live_use use = live__use(l, i);
		const struct live_task *t = &l->tasks[use.task].is;

		row = &out->items[use.cpu];
		if (!is_wanted_use(f, &l->uses[i]))
			continue;
		if (is_wanted(f, t))
			add_values(l, row, use.values);
		if (is_idle(t))
			row->idle_ns = use.values[LIVE_TIME];
		if (is_idle(t) && is_wanted(f, t))
			row->values[LIVE_TIME] -= row->idle_ns;
	}
	return 0;
}

static uint64_t id_of(const struct live_task *t, enum live_by by)
{
	if (by == LIVE_CGROUPS)
		return t->cgroup;
	return by == LIVE_THREADS ? number_of(t) : t->tgid;
}

/* The row of a task, by the rows that there are. */
static int find_row(struct idmap *rows, struct live_rows *out, uint64_t id, struct live_row **row)
{
	uint32_t at;
	int err;

	if (idmap__get(rows, id, &at)) {
		*row = &out->items[at];
		return 0;
	}
	err = idmap__set(rows, id, out->nr);
	return err ? err : add_row(out, id, row);
}

/* A process is called as its first thread, which is called as it was at last. */
static void name_row(struct live_row *row, const struct live_task *t, enum live_by by)
{
	const bool is_leader = number_of(t) == t->tgid || by == LIVE_THREADS;

	if (by == LIVE_CGROUPS || (row->tgid && !is_leader) || t->first_ns < row->named_ns)
		return;
	row->named_ns = is_leader ? t->first_ns : 0;
	row->is_named = is_leader;
	row->tgid = t->tgid;
	row->cgroup = t->cgroup;
	memcpy(row->comm, t->comm, sizeof(row->comm));
}

enum { NO_ROW = UINT32_MAX, SOME_ROW = UINT32_MAX - 1 };

/* Tasks that have used something where it matters. */
static void choose_tasks(const struct live *l, const struct live_filter *f, uint32_t *row_of)
{
	for (size_t i = 0; i < l->nr_tasks; i++)
		row_of[i] = NO_ROW;
	for (size_t i = 0; i < l->nr_uses; i++)
		if (is_wanted_use(f, &l->uses[i]))
			row_of[l->uses[i].task] = SOME_ROW;
}

/* No entry of its number has been placed in its row. */
static bool is_another(const struct live *l, const uint32_t *row_of, size_t task)
{
	for (uint32_t i = l->tasks[task].other; i != NO_TASK; i = l->tasks[i].other)
		if (row_of[i] == row_of[task])
			return false;
	return true;
}

/* The rows that there are, and which is each chosen task's. */
static int place_tasks(const struct live *l, enum live_by by, const struct live_filter *f,
		       struct live_rows *out, uint32_t *row_of)
{
	const unsigned flag = by == LIVE_PROCESSES ? LIVE_PROCESS_ENDED
			      : by == LIVE_THREADS ? LIVE_THREAD_ENDED
						   : 0;
	struct idmap rows = {};
	int err = 0;

	for (size_t i = 0; i < l->nr_tasks && !err; i++) {
		const struct live_task *t = &l->tasks[i].is;
		struct live_row *row;

		if (row_of[i] == NO_ROW)
			continue;
		row_of[i] = NO_ROW;
		if (is_idle(t) || !is_wanted(f, t))
			continue;
		err = find_row(&rows, out, id_of(t, by), &row);
		if (err)
			break;
		row_of[i] = row - out->items;
		name_row(row, t, by);
		row->nr_tasks += t->tid && is_another(l, row_of, i);
		row->exited = l->tasks[i].ends & flag;
	}
	idmap__free(&rows);
	return err;
}

int live__rows_of(const struct live *l, enum live_by by, const struct live_filter *f,
		  struct live_rows *out)
{
	uint32_t *row_of;
	int err;

	out->nr = 0;
	if (by == LIVE_CPUS)
		return cpu_rows(l, f, out);
	row_of = malloc((l->nr_tasks + 1) * sizeof(*row_of));
	if (!row_of)
		return -ENOMEM;
	choose_tasks(l, f, row_of);
	err = place_tasks(l, by, f, out, row_of);
	for (size_t i = 0; i < l->nr_uses && !err; i++) {
		struct live_use use = live__use(l, i);

		if (row_of[use.task] != NO_ROW && is_wanted_use(f, &l->uses[i]))
			add_values(l, &out->items[row_of[use.task]], use.values);
	}
	free(row_of);
	return err;
}

int live__rows(const struct live *l, enum live_by by, struct live_rows *out)
{
	return live__rows_of(l, by, NULL, out);
}
