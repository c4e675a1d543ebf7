// SPDX-License-Identifier: BSD-2-Clause
/* Adds up the counts of repeated runs, and divides the sums into means. */
#include "model/repeats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/counts.h"

static bool is_same(const struct counts_key *a, const struct counts_key *b)
{
	return a->cpu == b->cpu && a->core == b->core && a->socket == b->socket &&
	       a->pid == b->pid && a->tid == b->tid &&
	       !strcmp(a->cgroup ? a->cgroup : "", b->cgroup ? b->cgroup : "");
}

/* The row of that key; made if there is none. 0 or -ENOMEM. */
static int find_row(struct counts *c, const struct counts_key *key, size_t likely,
		    struct counts_row **row)
{
	if (likely < c->nr_rows && is_same(&c->rows[likely].key, key)) {
		*row = &c->rows[likely];
		return 0;
	}
	for (size_t i = 0; i < c->nr_rows; i++) {
		*row = &c->rows[i];
		if (is_same(&c->rows[i].key, key))
			return 0;
	}
	return counts__row(c, key, row);
}

static void add_values(struct event_count *sums, const struct event_count *values, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		event_count__add(&sums[i], &values[i]);
}

static int add_to(struct counts *sum, const struct counts *run)
{
	struct counts_row *row;
	int err = 0;

	add_values(sum->totals, run->totals, sum->nr_events);
	for (size_t i = 0; i < run->nr_rows && !err; i++) {
		err = find_row(sum, &run->rows[i].key, i, &row);
		if (!err)
			add_values(row->values, run->rows[i].values, sum->nr_events);
	}
	sum->duration_ns += run->duration_ns;
	sum->missed_ns += run->missed_ns;
	sum->user_ns += run->user_ns;
	sum->system_ns += run->system_ns;
	return err;
}

int repeats__add(struct repeats *r, struct counts *run)
{
	struct counts *sum = r->sum ? r->sum : run;
	int err = 0;

	for (size_t i = 0; i < run->nr_events; i++)
		if (event_count__has_value(&run->totals[i]))
			counts_runs__add(&sum->runs[i], run->totals[i].value);
	counts_runs__add(&sum->runs[run->nr_events], run->duration_ns / 1e9);
	if (sum != run) {
		err = add_to(sum, run);
		counts__free(run);
	}
	r->sum = sum;
	r->nr++;
	return err;
}

static uint64_t share(uint64_t sum, unsigned nr)
{
	return nr ? sum / nr + (sum % nr + nr / 2) / nr : sum;
}

static void divide(struct event_count *values, const struct repeats *r)
{
	for (size_t i = 0; i < r->sum->nr_events; i++) {
		const unsigned nr_values = r->sum->runs[i].n;

		values[i].raw = share(values[i].raw, nr_values);
		values[i].value = share(values[i].value, nr_values);
		values[i].enabled_ns = share(values[i].enabled_ns, r->nr);
		values[i].running_ns = share(values[i].running_ns, r->nr);
	}
}

void repeats__finish(struct repeats *r)
{
	struct counts *c = r->sum;

	divide(c->totals, r);
	for (size_t i = 0; i < c->nr_rows; i++)
		divide(c->rows[i].values, r);
	c->duration_ns = share(c->duration_ns, r->nr);
	c->user_ns = share(c->user_ns, r->nr);
	c->system_ns = share(c->system_ns, r->nr);
}

void repeats__free(struct repeats *r)
{
	counts__free(r->sum);
	*r = (struct repeats){};
}
