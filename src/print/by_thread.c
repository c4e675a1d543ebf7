// SPDX-License-Identifier: BSD-2-Clause
/* Sorts an event's rows by thread and stack. */
#include "print/by_thread.h"

#include <errno.h>
#include <stdlib.h>

#include "base/idmap.h"
#include "model/profile.h"

/* Which thread a row is of; commands by their frame. */
static uint64_t owner_of(const struct profile *p, const struct row *row)
{
	uint32_t node = row->key.stack;

	if (p->by & BY_TID)
		return (uint64_t)row->key.pid << 32 | row->key.tid;
	if (p->by & BY_PID)
		return row->key.pid;
	while (node && p->nodes[node].parent)
		node = p->nodes[node].parent;
	return node;
}

static int find_thread(struct by_thread *t, struct idmap *known, const struct profile *p,
		       const struct row *row, uint32_t *id)
{
	uint64_t owner = owner_of(p, row);
	uint32_t tid = p->by & BY_TID ? row->key.tid : p->by & BY_PID ? row->key.pid : 0;
	int err;

	if (idmap__get(known, owner, id))
		return 0;
	err = array__grow(&t->threads, &t->cap, t->nr + 1);
	if (err)
		return err;
	*id = t->nr++;
	t->threads[*id] = (struct thread_samples){
		.pid = p->by & BY_PID ? row->key.pid : tid,
		.tid = tid,
	};
	return idmap__set(known, owner, *id);
}

/* The order of a drawing: each stack before those that it calls, these one behind the other. */
static int place_nodes(const struct profile *p, uint32_t **places)
{
	size_t nr = p->nr_nodes ? p->nr_nodes : 1;
	uint32_t *sizes = calloc(nr, sizeof(*sizes)), *ends = calloc(nr, sizeof(*ends));

	*places = ends;
	if (!sizes || !ends) {
		free(sizes);
		return -ENOMEM;
	}
	for (size_t i = nr; i-- > 0;) {
		sizes[i]++;
		if (i)
			sizes[p->nodes[i].parent] += sizes[i];
	}
	/* Behind those below it that have a place by now: in the end, behind all. */
	ends[0] = 1;
	for (size_t i = 1; i < nr; i++) {
		uint32_t parent = p->nodes[i].parent;

		ends[i] = ends[parent] + 1;
		ends[parent] += sizes[i];
	}
	for (size_t i = 0; i < nr; i++)
		ends[i] -= sizes[i];
	free(sizes);
	return 0;
}

static int compare_stacks(const void *a, const void *b)
{
	const struct thread_stack *x = a, *y = b;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	return (x->place > y->place) - (x->place < y->place);
}

static int add_row(struct by_thread *t, struct idmap *known, const struct profile *p,
		   const struct row *row, const uint32_t *places)
{
	uint32_t id, node = row->key.stack;
	struct thread_samples *of;
	int err = find_thread(t, known, p, row, &id);

	if (err)
		return err;
	of = &t->threads[id];
	if (!of->most_samples || row->samples > of->most_samples) {
		of->most_samples = row->samples;
		of->most = node;
	}
	of->samples += row->samples;
	of->weight += row->weight;
	t->stacks[t->nr_stacks++] = (struct thread_stack){
		.thread = id,
		.place = places[node],
		.node = node,
		.samples = row->samples,
		.weight = row->weight,
	};
	return 0;
}

static int add_rows(struct by_thread *t, const struct profile *p, uint32_t event)
{
	struct idmap known = {};
	uint32_t *places;
	int err = place_nodes(p, &places);

	for (size_t i = 0; i < p->nr_rows && !err; i++)
		if (p->rows[i].key.event == event && p->rows[i].samples)
			err = add_row(t, &known, p, &p->rows[i], places);
	idmap__free(&known);
	free(places);
	return err;
}

/* Adds up what is of the same thread and stack. */
static void join_stacks(struct by_thread *t)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->nr_stacks; i++) {
		struct thread_stack *s = &t->stacks[i], *before = nr ? &t->stacks[nr - 1] : NULL;

		if (before && !compare_stacks(before, s)) {
			before->samples += s->samples;
			before->weight += s->weight;
		} else {
			t->stacks[nr++] = *s;
		}
	}
	t->nr_stacks = nr;
}

static void find_stacks(struct by_thread *t)
{
	for (size_t i = 0; i < t->nr_stacks; i++) {
		struct thread_samples *of = &t->threads[t->stacks[i].thread];

		if (!of->nr++)
			of->first = i;
	}
}

/* Those that are equal stay in order of appearance, which the stacks' order still has. */
static int compare_threads(const void *a, const void *b)
{
	const struct thread_samples *x = a, *y = b;

	if (x->samples != y->samples)
		return (x->samples < y->samples) - (x->samples > y->samples);
	return (x->first > y->first) - (x->first < y->first);
}

int by_thread__group(struct by_thread *t, const struct profile *p, uint32_t event)
{
	int err;

	*t = (struct by_thread){ .stacks = calloc(p->nr_rows + 1, sizeof(*t->stacks)) };
	if (!t->stacks)
		return -ENOMEM;
	err = add_rows(t, p, event);
	if (err || !t->nr)
		return err;
	qsort(t->stacks, t->nr_stacks, sizeof(*t->stacks), compare_stacks);
	join_stacks(t);
	find_stacks(t);
	qsort(t->threads, t->nr, sizeof(*t->threads), compare_threads);
	return 0;
}

void by_thread__free(struct by_thread *t)
{
	free(t->threads);
	free(t->stacks);
	*t = (struct by_thread){};
}
