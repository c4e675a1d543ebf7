// SPDX-License-Identifier: BSD-2-Clause
/* Sorts an event's rows, or what they grew by in each window, by thread and stack. */
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

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_stacks(const void *a, const void *b)
{
	const struct thread_stack *x = a, *y = b;
	int diff = order(x->thread, y->thread);

	if (!diff)
		diff = order(x->window, y->window);
	return diff ? diff : order(x->place, y->place);
}

/* What is put into by_thread.stacks, and whose each row is. */
struct filling {
	struct by_thread *t;
	const struct profile *p;
	uint32_t event;
	struct idmap known; /* threads by owner */
	uint32_t *owners;   /* thread of each row */
	uint32_t *places;   /* of each node */
};

static bool is_of_it(const struct filling *f, const struct row *row)
{
	return row->key.event == f->event && row->samples;
}

static int add_threads(struct filling *f)
{
	int err = 0;

	for (size_t i = 0; i < f->p->nr_rows && !err; i++) {
		const struct row *row = &f->p->rows[i];
		struct thread_samples *of;

		if (!is_of_it(f, row))
			continue;
		err = find_thread(f->t, &f->known, f->p, row, &f->owners[i]);
		if (err)
			break;
		of = &f->t->threads[f->owners[i]];
		if (!of->most_samples || row->samples > of->most_samples) {
			of->most_samples = row->samples;
			of->most = row->key.stack;
		}
		of->samples += row->samples;
		of->weight += row->weight;
	}
	return err;
}

static void add_stack(struct filling *f, uint32_t row, uint32_t window, uint64_t samples,
		      uint64_t weight)
{
	const uint32_t node = f->p->rows[row].key.stack;

	f->t->stacks[f->t->nr_stacks++] = (struct thread_stack){
		.thread = f->owners[row],
		.window = window,
		.place = f->places[node],
		.node = node,
		.samples = samples,
		.weight = weight,
	};
}

static void add_windows(struct filling *f)
{
	const struct windows *w = &f->p->windows;

	for (size_t i = 0; i < w->nr; i++)
		for (size_t k = windows__first(w, i); k < w->items[i].end_entries; k++) {
			const struct window_entry *e = &w->entries[k];

			if (e->samples && is_of_it(f, &f->p->rows[e->row]))
				add_stack(f, e->row, i, e->samples, e->weight);
		}
}

static void add_rows(struct filling *f)
{
	for (size_t i = 0; i < f->p->nr_rows; i++) {
		const struct row *row = &f->p->rows[i];

		if (is_of_it(f, row))
			add_stack(f, i, 0, row->samples, row->weight);
	}
}

static int fill(struct by_thread *t, const struct profile *p, uint32_t event, bool by_window)
{
	struct filling f = { .t = t, .p = p, .event = event };
	int err = place_nodes(p, &f.places);

	f.owners = calloc(p->nr_rows + 1, sizeof(*f.owners));
	if (!err && !f.owners)
		err = -ENOMEM;
	if (!err)
		err = add_threads(&f);
	if (!err && by_window && p->windows.nr)
		add_windows(&f);
	else if (!err)
		add_rows(&f);
	idmap__free(&f.known);
	free(f.owners);
	free(f.places);
	return err;
}

/* Adds up what is of the same thread, window and stack. */
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

int by_thread__group(struct by_thread *t, const struct profile *p, uint32_t event, bool by_window)
{
	const size_t nr = p->nr_rows > p->windows.nr_entries ? p->nr_rows : p->windows.nr_entries;
	int err;

	*t = (struct by_thread){ .stacks = calloc(nr + 1, sizeof(*t->stacks)) };
	if (!t->stacks)
		return -ENOMEM;
	err = fill(t, p, event, by_window);
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

const char *by_thread__name(const struct profile *p, const struct thread_samples *thread)
{
	const char *comm = profile__comm(p, thread->most);

	return *comm ? comm : "[unknown]";
}

/* Of a command it is that of its frame. */
static uint32_t command_of(const struct profile *p, uint32_t node)
{
	uint32_t frame;

	return profile__stack(p, node, &frame, 1) ? frame + 1 : 0;
}

uint32_t by_thread__id(const struct profile *p, const struct thread_samples *thread)
{
	return p->by & (BY_PID | BY_TID) ? thread->tid : command_of(p, thread->most);
}

uint32_t by_thread__process(const struct profile *p, const struct thread_samples *thread)
{
	return p->by & (BY_PID | BY_TID) ? thread->pid : command_of(p, thread->most);
}

bool by_thread__next(const struct by_thread *t, const struct thread_samples *thread,
		     struct thread_window *w)
{
	const size_t end = thread->first + thread->nr;
	size_t i = w->nr ? w->first + w->nr : thread->first;

	if (i == end)
		return false;
	*w = (struct thread_window){ .first = i, .window = t->stacks[i].window };
	for (; i < end && t->stacks[i].window == w->window; i++) {
		w->nr++;
		w->samples += t->stacks[i].samples;
		w->weight += t->stacks[i].weight;
	}
	return true;
}
