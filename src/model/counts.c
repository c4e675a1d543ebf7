// SPDX-License-Identifier: BSD-2-Clause
/* Values: scaling, sums, repetitions. Their table: rows of equal keys merged, summed, sorted. */
#include "model/counts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/utf8.h"

const char *count_state__name(enum count_state s)
{
	switch (s) {
	case COUNT_COUNTED:
		return "counted";
	case COUNT_MULTIPLEXED:
		return "multiplexed";
	case COUNT_NOT_COUNTED:
		return "not-counted";
	case COUNT_NOT_SUPPORTED:
		return "not-supported";
	case COUNT_NO_PERMISSION:
		return "no-permission";
	}
	return "not-counted";
}

uint64_t event_count__scale(uint64_t raw, uint64_t enabled_ns, uint64_t running_ns)
{
	unsigned __int128 n = (unsigned __int128)raw * enabled_ns + running_ns / 2;

	if (!running_ns)
		return 0;
	n /= running_ns;
	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

static uint64_t at_most(uint64_t n, uint64_t most)
{
	return n < most ? n : most;
}

void event_count__bound(struct event_count *c, uint64_t most_ns)
{
	c->enabled_ns = at_most(c->enabled_ns, most_ns);
	c->running_ns = at_most(c->running_ns, c->enabled_ns);
}

static uint64_t take_later(uint64_t now, uint64_t *last)
{
	uint64_t more = now > *last ? now - *last : 0;

	*last += more;
	return more;
}

void event_count__since(struct event_count *c, struct event_count *last)
{
	bool went_back = c->enabled_ns < last->enabled_ns || c->running_ns < last->running_ns;

	c->raw = take_later(c->raw, &last->raw);
	c->enabled_ns = take_later(c->enabled_ns, &last->enabled_ns);
	c->running_ns = take_later(c->running_ns, &last->running_ns);
	if (went_back)
		c->enabled_ns = c->running_ns = 0;
}

void event_count__settle(struct event_count *c)
{
	c->value = 0;
	c->state = COUNT_NOT_COUNTED;
	c->running_ns = at_most(c->running_ns, c->enabled_ns);
	if (!c->running_ns && (c->enabled_ns || !c->raw))
		return;
	c->value = c->raw;
	c->state = COUNT_COUNTED;
	if (c->running_ns == c->enabled_ns)
		return;
	c->value = event_count__scale(c->raw, c->enabled_ns, c->running_ns);
	c->state = COUNT_MULTIPLEXED;
}

bool event_count__has_value(const struct event_count *c)
{
	return c->state <= COUNT_MULTIPLEXED;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void event_count__add(struct event_count *sum, const struct event_count *c)
{
	bool has = event_count__has_value(sum), adds = event_count__has_value(c);

	sum->enabled_ns = add(sum->enabled_ns, c->enabled_ns);
	sum->running_ns = add(sum->running_ns, c->running_ns);
	if (adds) {
		sum->raw = has ? add(sum->raw, c->raw) : c->raw;
		sum->value = has ? add(sum->value, c->value) : c->value;
	}
	if (has == adds)
		sum->state = sum->state > c->state ? sum->state : c->state;
	else if (adds)
		sum->state = c->state;
	if (event_count__has_value(sum) && sum->running_ns < sum->enabled_ns)
		sum->state = COUNT_MULTIPLEXED;
}

void counts_runs__add(struct counts_runs *r, double value)
{
	double from_old = value - r->mean;

	r->n++;
	r->mean += from_old / r->n;
	r->m2 += from_old * (value - r->mean);
}

double counts_runs__stddev(const struct counts_runs *r)
{
	return r->n < 2 ? 0 : sqrt(r->m2 / (r->n - 1));
}

/* The 0.975 quantile of Student's t. Beyond the table: Abramowitz and Stegun 26.7.5. */
static double student_t(unsigned df)
{
	static const float t[] = {
		12.706f, 4.303f, 3.182f, 2.776f, 2.571f, 2.447f, 2.365f, 2.306f, 2.262f, 2.228f,
		2.201f,	 2.179f, 2.160f, 2.145f, 2.131f, 2.120f, 2.110f, 2.101f, 2.093f, 2.086f,
		2.080f,	 2.074f, 2.069f, 2.064f, 2.060f, 2.056f, 2.052f, 2.048f, 2.045f, 2.042f,
	};
	const double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z;

	if (df <= ARRAY_SIZE(t))
		return (double)t[df - 1];
	return z + (z3 + z) / (4.0 * df) + (5 * z5 + 16 * z3 + 3 * z) / (96.0 * df * df);
}

double counts_runs__ci95(const struct counts_runs *r)
{
	return r->n < 2 ? 0 : student_t(r->n - 1) * counts_runs__stddev(r) / sqrt(r->n);
}

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
