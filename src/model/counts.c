// SPDX-License-Identifier: BSD-2-Clause
/* Builds the table of events and rows; merges rows of equal keys, sums and sorts them. */
#include "model/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/utf8.h"

static const struct event_count nothing = { .state = COUNT_NOT_COUNTED };

struct counts *counts__new(void)
{
	struct counts *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->target = "";
	c->strings = strtab__new();
	c->runs = calloc(1, sizeof(*c->runs));
	if (!c->strings || !c->runs) {
		counts__free(c);
		return NULL;
	}
	return c;
}

void counts__free(struct counts *c)
{
	if (!c)
		return;
	counts__clear(c);
	free(c->rows);
	free(c->events);
	free(c->totals);
	free(c->runs);
	strtab__free(c->strings);
	free(c);
}

/* *out: the table's copy of @s; NULL stays NULL. */
static int intern(struct counts *c, const char *s, const char **out)
{
	struct buf valid = {};
	uint32_t id = 0;
	int err;

	*out = NULL;
	if (!s)
		return 0;
	err = utf8__put_valid(&valid, s, strlen(s));
	if (!err)
		err = strtab__add(c->strings, valid.data ? valid.data : "", valid.len, &id);
	if (!err)
		*out = strtab__get(c->strings, id);
	buf__free(&valid);
	return err;
}

int counts__event(struct counts *c, const struct counts_event *ev)
{
	size_t cap_totals = c->nr_events, cap_runs = c->nr_events + 1;
	struct counts_event copy = *ev;
	int err = intern(c, ev->name, &copy.name);

	if (!err)
		err = intern(c, ev->unit, &copy.unit);
	if (!err)
		err = intern(c, ev->why, &copy.why);
	if (!err)
		err = intern(c, ev->lacks, &copy.lacks);
	if (!err)
		err = array__grow(&c->events, &c->cap_events, c->nr_events + 1);
	if (!err)
		err = array__grow(&c->totals, &cap_totals, c->nr_events + 1);
	if (!err)
		err = array__grow(&c->runs, &cap_runs, c->nr_events + 2);
	if (err)
		return err;
	c->events[c->nr_events] = copy;
	c->totals[c->nr_events] = nothing;
	c->nr_events++;
	c->runs[c->nr_events] = (struct counts_runs){};
	return 0;
}

int counts__row(struct counts *c, const struct counts_key *key, struct counts_row **row)
{
	struct counts_row r = { .key = *key };
	int err = intern(c, key->comm, &r.key.comm);

	*row = NULL;
	if (!err)
		err = intern(c, key->cgroup, &r.key.cgroup);
	if (!err)
		err = array__grow(&c->rows, &c->cap_rows, c->nr_rows + 1);
	if (err)
		return err;
	r.values = calloc(c->nr_events ? c->nr_events : 1, sizeof(*r.values));
	if (!r.values)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr_events; i++)
		r.values[i] = nothing;
	*row = &c->rows[c->nr_rows++];
	**row = r;
	return 0;
}

int counts__explain(struct counts *c, size_t event, const char *why)
{
	return intern(c, why, &c->events[event].why);
}

const char *counts__why(const struct counts *c, size_t event)
{
	const struct counts_event *e = &c->events[event];

	return e->why && !event_count__has_value(&c->totals[event]) ? e->why : e->lacks;
}

int counts__set_target(struct counts *c, const char *text)
{
	const char *copy;
	int err = intern(c, text, &copy);

	if (!err)
		c->target = copy;
	return err;
}

void counts__clear(struct counts *c)
{
	for (size_t i = 0; i < c->nr_rows; i++)
		free(c->rows[i].values);
	c->nr_rows = 0;
	for (size_t i = 0; i < c->nr_events; i++)
		c->totals[i] = nothing;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_keys(const struct counts_key *a, const struct counts_key *b, enum counts_by by)
{
	int order = 0;

	switch (by) {
	case COUNTS_BY_NOTHING:
		return 0;
	case COUNTS_BY_CPU:
		return compare(a->cpu, b->cpu);
	case COUNTS_BY_CORE:
		order = compare(a->socket, b->socket);
		return order ? order : compare(a->core, b->core);
	case COUNTS_BY_SOCKET:
		return compare(a->socket, b->socket);
	case COUNTS_BY_THREAD:
		order = compare((uint64_t)a->pid << 32 | a->tid, (uint64_t)b->pid << 32 | b->tid);
		return order ? order : strcmp(a->comm, b->comm);
	case COUNTS_BY_PROCESS:
		order = compare(a->pid, b->pid);
		return order ? order : strcmp(a->comm, b->comm);
	case COUNTS_BY_CGROUP:
		return strcmp(a->cgroup, b->cgroup);
	}
	return 0;
}

static int by_key(const void *a, const void *b, void *counts)
{
	const struct counts_row *x = a, *y = b;
	const struct counts *c = counts;

	return compare_keys(&x->key, &y->key, c->by);
}

/* The first event that was counted is what rows of tasks are ordered by. */
static int by_value(const void *a, const void *b, void *counts)
{
	const struct counts_row *x = a, *y = b;
	const struct counts *c = counts;
	size_t i = 0;
	int order;

	while (i < c->nr_events && !event_count__has_value(&c->totals[i]))
		i++;
	if (i == c->nr_events)
		return by_key(a, b, counts);
	order = event_count__has_value(&y->values[i]) - event_count__has_value(&x->values[i]);
	if (!order)
		order = compare(y->values[i].value, x->values[i].value);
	return order ? order : by_key(a, b, counts);
}

/* Rows are in order of their keys. */
static void merge_equal_rows(struct counts *c)
{
	size_t nr = 0;

	for (size_t i = 0; i < c->nr_rows; i++) {
		struct counts_row *row = &c->rows[i], *last = nr ? &c->rows[nr - 1] : NULL;

		if (!last || compare_keys(&last->key, &row->key, c->by)) {
			c->rows[nr++] = *row;
			continue;
		}
		last->key.nr_cpus += row->key.nr_cpus;
		for (size_t event = 0; event < c->nr_events; event++)
			event_count__add(&last->values[event], &row->values[event]);
		free(row->values);
	}
	c->nr_rows = nr;
}

void counts__finish(struct counts *c)
{
	if (c->nr_rows)
		qsort_r(c->rows, c->nr_rows, sizeof(*c->rows), by_key, c);
	merge_equal_rows(c);
	for (size_t event = 0; event < c->nr_events; event++) {
		c->totals[event] = nothing;
		for (size_t i = 0; i < c->nr_rows; i++)
			event_count__add(&c->totals[event], &c->rows[i].values[event]);
	}
	if (c->nr_rows && (c->by == COUNTS_BY_THREAD || c->by == COUNTS_BY_PROCESS))
		qsort_r(c->rows, c->nr_rows, sizeof(*c->rows), by_value, c);
}

bool counts__is_partial(const struct counts *c)
{
	if (c->missed_ns)
		return true;
	for (size_t event = 0; event < c->nr_events; event++) {
		if (c->totals[event].state != COUNT_COUNTED || c->events[event].lacks)
			return true;
		for (size_t i = 0; i < c->nr_rows; i++) {
			const struct event_count *v = &c->rows[i].values[event];
			bool idle = v->state == COUNT_NOT_COUNTED && !v->enabled_ns;

			if (v->state != COUNT_COUNTED && !idle)
				return true;
		}
	}
	return false;
}
