// SPDX-License-Identifier: BSD-2-Clause
/* Views of an interval, model/live.h: their rows, made of what it was told, and their order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "model/live.h"

static void add_values(const struct live *l, struct live_row *row, const uint64_t *values)
{
	for (size_t i = 0; i < live__nr_values(l); i++)
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

static bool is_wanted_use(const struct live_filter *f, struct live_use u)
{
	return !f || !f->on_cpu || u.cpu == f->cpu;
}

static int cpu_rows(const struct live *l, const struct live_filter *f, struct live_rows *out)
{
	struct live_row *row;
	unsigned ends;

	for (size_t i = 0; i < live__nr_cpus(l); i++) {
		int err = add_row(out, i, &row);

		if (err)
			return err;
	}
	for (size_t i = 0; i < live__nr_uses(l); i++) {
		struct live_use use = live__use(l, i);
		const struct live_task *t = live__task(l, use.task, &ends);

		row = &out->items[use.cpu];
		if (!is_wanted_use(f, use))
			continue;
		if (is_wanted(f, t))
			add_values(l, row, use.values);
		if (live_task__is_idle(t))
			row->idle_ns = use.values[LIVE_TIME];
		if (live_task__is_idle(t) && is_wanted(f, t))
			row->values[LIVE_TIME] -= row->idle_ns;
	}
	return 0;
}

static uint64_t id_of(const struct live_task *t, enum live_by by)
{
	if (by == LIVE_CGROUPS)
		return t->cgroup;
	return by == LIVE_THREADS ? live_task__number(t) : t->tgid;
}

/* The row of that id; made if there is none. */
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

/* A process has the name of its first thread, and a thread its latest name. */
static void name_row(struct live_row *row, const struct live_task *t, enum live_by by)
{
	const bool is_leader = live_task__number(t) == t->tgid || by == LIVE_THREADS;

	if (by == LIVE_CGROUPS || (row->tgid && !is_leader) || t->first_ns < row->named_ns)
		return;
	row->named_ns = is_leader ? t->first_ns : 0;
	row->is_named = is_leader;
	row->tgid = t->tgid;
	row->cgroup = t->cgroup;
	memcpy(row->comm, t->comm, sizeof(row->comm));
}

enum { NO_ROW = UINT32_MAX, SOME_ROW = UINT32_MAX - 1 };

/* Marks the tasks that have used something, on the filter's CPU if it has one. */
static void choose_tasks(const struct live *l, const struct live_filter *f, uint32_t *row_of)
{
	for (size_t i = 0; i < live__nr_tasks(l); i++)
		row_of[i] = NO_ROW;
	for (size_t i = 0; i < live__nr_uses(l); i++)
		if (is_wanted_use(f, live__use(l, i)))
			row_of[live__use(l, i).task] = SOME_ROW;
}

/* Whether the row does not count this task yet, by an entry of another cgroup. */
static bool is_another(const struct live *l, const uint32_t *row_of, size_t task)
{
	for (size_t i = task; live__task_before(l, i, &i);)
		if (row_of[i] == row_of[task])
			return false;
	return true;
}

/* Makes the rows, and notes in @row_of which one each chosen task belongs to. */
static int place_tasks(const struct live *l, enum live_by by, const struct live_filter *f,
		       struct live_rows *out, uint32_t *row_of)
{
	const unsigned flag = by == LIVE_PROCESSES ? LIVE_PROCESS_ENDED
			      : by == LIVE_THREADS ? LIVE_THREAD_ENDED
						   : 0;
	struct idmap rows = {};
	int err = 0;

	for (size_t i = 0; i < live__nr_tasks(l) && !err; i++) {
		unsigned ends;
		const struct live_task *t = live__task(l, i, &ends);
		struct live_row *row;

		if (row_of[i] == NO_ROW)
			continue;
		row_of[i] = NO_ROW;
		if (live_task__is_idle(t) || !is_wanted(f, t))
			continue;
		err = find_row(&rows, out, id_of(t, by), &row);
		if (err)
			break;
		row_of[i] = row - out->items;
		name_row(row, t, by);
		row->nr_tasks += t->tid && is_another(l, row_of, i);
		row->exited = ends & flag;
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
	row_of = malloc((live__nr_tasks(l) + 1) * sizeof(*row_of));
	if (!row_of)
		return -ENOMEM;
	choose_tasks(l, f, row_of);
	err = place_tasks(l, by, f, out, row_of);
	for (size_t i = 0; i < live__nr_uses(l) && !err; i++) {
		struct live_use use = live__use(l, i);

		if (row_of[use.task] != NO_ROW && is_wanted_use(f, use))
			add_values(l, &out->items[row_of[use.task]], use.values);
	}
	free(row_of);
	return err;
}

int live__rows(const struct live *l, enum live_by by, struct live_rows *out)
{
	return live__rows_of(l, by, NULL, out);
}

struct order {
	size_t value;
	int sign;
};

static int compare(const void *a, const void *b, void *arg)
{
	const struct live_row *x = a, *y = b;
	const struct order *o = arg;
	uint64_t m = 0, n = 0;

	if (o->value < LIVE_VALUES) {
		m = y->values[o->value];
		n = x->values[o->value];
	}
	if (m == n) {
		m = x->id;
		n = y->id;
	}
	return o->sign * ((m > n) - (m < n));
}

void live_rows__sort(struct live_rows *rows, size_t value, bool invert)
{
	struct order order = { value, invert ? -1 : 1 };

	if (rows->nr > 1)
		qsort_r(rows->items, rows->nr, sizeof(*rows->items), compare, &order);
}

void live_rows__free(struct live_rows *rows)
{
	free(rows->items);
	*rows = (struct live_rows){};
}
