// SPDX-License-Identifier: BSD-2-Clause
/* Walks the stacks of each unit of a profile, and adds up samples by function. */
#include "model/unit_tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"

/* One profile on its way into a tally. */
struct walk {
	struct unit_tally *t;
	const struct profile *p;
	const struct tally_opts *o;
	uint32_t event, unit;
	uint32_t *function;	 /* of each frame */
	struct tally_part *sums; /* [function] of the unit that is summed up */
	uint32_t *seen;		 /* [function] the row that it was seen in last, from 1 */
	uint32_t *touched;	 /* functions that the unit has */
	size_t nr_touched;
	uint32_t nr_rows;
};

int tally_names__new(struct tally_names *n)
{
	*n = (struct tally_names){ .strings = strtab__new() };
	return n->strings ? 0 : -ENOMEM;
}

void tally_names__free(struct tally_names *n)
{
	strtab__free(n->strings);
	free(n->items);
	idmap__free(&n->index);
	*n = (struct tally_names){};
}

const char *tally_names__name(const struct tally_names *n, uint32_t function)
{
	return strtab__get(n->strings, n->items[function].name);
}

const char *tally_names__module(const struct tally_names *n, uint32_t function)
{
	return strtab__get(n->strings, n->items[function].module);
}

/* "libfoo.so" of "libfoo.so.1.2": what of a file's name stays when its version changes. */
static size_t unversioned(const char *module, size_t len)
{
	const char *so = strstr(module, ".so.");

	return so ? (size_t)(so - module) + 3 : len;
}

/* One frame -> one function. */
int tally_names__of(struct tally_names *n, const struct profile *p, uint32_t frame,
		    uint32_t *function)
{
	const struct frame *f = &p->frames[frame];
	const char *module = strtab__get(p->strings, f->module);
	const size_t len = strtab__len(p->strings, f->module);
	struct tally_function fresh = { .kind = f->kind };
	uint64_t key;
	int err = strtab__add(n->strings, profile__name(p, frame), strlen(profile__name(p, frame)),
			      &fresh.name);

	if (!err)
		err = strtab__add(n->strings, module, len, &fresh.module);
	if (!err)
		err = strtab__add(n->strings, module, unversioned(module, len), &fresh.key);
	if (err)
		return err;
	/* A command may be called as its function is: "main". */
	key = ((uint64_t)fresh.name << 32 | fresh.key) ^ (f->kind == FRAME_COMM	  ? 1ull << 63
							  : f->kind == FRAME_NOTE ? 1ull << 62
										  : 0);
	if (idmap__get(&n->index, key, function))
		return 0;
	err = array__grow(&n->items, &n->cap, n->nr + 1);
	if (!err)
		err = idmap__set(&n->index, key, n->nr);
	if (err)
		return err;
	*function = n->nr;
	n->items[n->nr++] = fresh;
	return 0;
}

static void add_to(struct walk *w, uint32_t function, uint64_t samples, uint64_t weight)
{
	struct tally_part *sum = &w->sums[function];

	if (w->seen[function] == w->nr_rows)
		return;
	w->seen[function] = w->nr_rows;
	if (!sum->samples && samples)
		w->touched[w->nr_touched++] = function;
	sum->samples += samples;
	sum->weight += weight;
}

/* What does not fit becomes the largest. */
static uint64_t scaled(uint64_t weight, double scale)
{
	const double product = (double)weight * scale + 0.5;

	if (scale == 1)
		return weight;
	return product < 0x1p64 ? (uint64_t)product : UINT64_MAX;
}

/* A function that is on the stack more than once counts once. */
static void add_row(struct walk *w, const struct row *row, uint64_t samples, uint64_t weight)
{
	struct tally_piece *unit = &w->t->units[w->unit];

	if (row->key.event != w->event || !row->key.stack || !samples)
		return;
	w->nr_rows++;
	weight = scaled(weight, w->o->scale);
	unit->samples += samples;
	unit->weight += weight;
	for (uint32_t node = row->key.stack; node; node = w->p->nodes[node].parent) {
		add_to(w, w->function[w->p->nodes[node].frame], samples, weight);
		if (!w->o->total)
			break;
	}
}

static int begin_unit(struct walk *w)
{
	struct unit_tally *t = w->t;
	int err = array__grow(&t->units, &t->cap_units, t->nr_units + 1);

	if (err)
		return err;
	w->unit = t->nr_units;
	t->units[t->nr_units++] = (struct tally_piece){ .run = t->nr_runs };
	return 0;
}

static int end_unit(struct walk *w)
{
	struct unit_tally *t = w->t;
	struct tally_piece *unit = &t->units[w->unit];
	int err = array__grow(&t->parts, &t->cap_parts, t->nr_parts + w->nr_touched);

	if (err)
		return err;
	for (size_t i = 0; i < w->nr_touched; i++) {
		struct tally_part *sum = &w->sums[w->touched[i]];

		t->parts[t->nr_parts++] =
			(struct tally_part){ w->unit, w->touched[i], sum->samples, sum->weight };
		*sum = (struct tally_part){};
	}
	w->nr_touched = 0;
	t->samples += unit->samples;
	t->weight += unit->weight;
	t->has_weights &= unit->weight || !unit->samples;
	return 0;
}

/* Samples of the event up to the end of each window; or, where rates are by time, nanoseconds. */
static void sum_windows(const struct walk *w, uint64_t *until)
{
	const struct windows *windows = &w->p->windows;
	uint64_t sum = 0;

	for (size_t i = 0; i < windows->nr; i++) {
		const struct window *at = &windows->items[i];

		if (w->o->by_time)
			sum += at->end_ns - at->begin_ns;
		for (size_t k = windows__first(windows, i); !w->o->by_time && k < at->end_entries;
		     k++)
			if (w->p->rows[windows->entries[k].row].key.event == w->event)
				sum += windows->entries[k].samples;
		until[i] = sum;
	}
}

static void add_window(struct walk *w, size_t window)
{
	const struct windows *windows = &w->p->windows;
	const struct window *at = &windows->items[window];

	w->t->units[w->unit].seconds += (double)(at->end_ns - at->begin_ns) / 1e9;
	for (size_t i = windows__first(windows, window); i < at->end_entries; i++)
		add_row(w, &w->p->rows[windows->entries[i].row], windows->entries[i].samples,
			windows->entries[i].weight);
}

/*
 * Neighbouring windows together, as many to each unit as come to UNITS_AT_MOST units of about the
 * same size: how much of the time a program had a CPU says nothing about its shares.
 */
static int add_windows(struct walk *w)
{
	const size_t nr = w->p->windows.nr;
	const size_t most = nr < UNITS_AT_MOST ? nr : UNITS_AT_MOST;
	uint64_t *until = calloc(nr, sizeof(*until));
	int err = until ? 0 : -ENOMEM;
	size_t window = 0;

	if (!err)
		sum_windows(w, until);
	for (size_t unit = 1; unit <= most && !err && window < nr; unit++) {
		const double share = (double)until[nr - 1] * (double)unit / (double)most;

		err = begin_unit(w);
		do {
			if (!err)
				add_window(w, window++);
		} while (!err && window < nr && (unit == most || (double)until[window] <= share));
		if (!err)
			err = end_unit(w);
	}
	free(until);
	return err;
}

struct thread_row {
	uint32_t tid, row;
};

static int compare_threads(const void *a, const void *b)
{
	const struct thread_row *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* The event's rows, thread by thread. *nr_threads: of these. */
static struct thread_row *sort_threads(const struct walk *w, size_t *nr, size_t *nr_threads)
{
	const struct profile *p = w->p;
	struct thread_row *rows = calloc(p->nr_rows + 1, sizeof(*rows));

	*nr = *nr_threads = 0;
	for (size_t i = 0; rows && i < p->nr_rows; i++)
		if (p->rows[i].key.event == w->event && p->rows[i].samples)
			rows[(*nr)++] = (struct thread_row){ p->rows[i].key.tid, i };
	if (rows)
		qsort(rows, *nr, sizeof(*rows), compare_threads);
	for (size_t i = 0; rows && i < *nr; i++)
		*nr_threads += !i || rows[i].tid != rows[i - 1].tid;
	return rows;
}

/* Each has its part of the time, so that all of them together have what all of them did. */
static int add_threads(struct walk *w)
{
	size_t nr, nr_threads;
	struct thread_row *rows = sort_threads(w, &nr, &nr_threads);
	int err = rows ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr && !err; i++) {
		const struct row *row = &w->p->rows[rows[i].row];

		if (!i || rows[i].tid != rows[i - 1].tid)
			err = begin_unit(w);
		if (err)
			break;
		add_row(w, row, row->samples, row->weight);
		if (i + 1 < nr && rows[i + 1].tid == rows[i].tid)
			continue;
		w->t->units[w->unit].seconds = (double)w->p->duration_ns / 1e9 / (double)nr_threads;
		err = end_unit(w);
	}
	free(rows);
	return err;
}

static int add_all(struct walk *w)
{
	int err = begin_unit(w);

	if (err)
		return err;
	w->t->units[w->unit].seconds = (double)w->p->duration_ns / 1e9;
	for (size_t i = 0; i < w->p->nr_rows; i++)
		add_row(w, &w->p->rows[i], w->p->rows[i].samples, w->p->rows[i].weight);
	return end_unit(w);
}

static bool has_threads(const struct profile *p)
{
	for (size_t i = 1; i < p->nr_rows; i++)
		if (p->rows[i].key.tid != p->rows[0].key.tid)
			return p->by & BY_TID;
	return false;
}

static enum tally_unit choose_unit(const struct profile *p, enum tally_unit wish)
{
	if (wish == TALLY_RUNS || wish == TALLY_SAMPLES)
		return wish;
	if (p->windows.nr > 1 && wish != TALLY_THREADS)
		return TALLY_WINDOWS;
	return has_threads(p) && wish != TALLY_WINDOWS ? TALLY_THREADS : TALLY_SAMPLES;
}

static int add_units(struct walk *w)
{
	struct unit_tally *t = w->t;
	const enum tally_unit of = choose_unit(w->p, w->o->unit);
	int err;

	t->of = t->nr_runs && t->of < of ? t->of : of;
	t->has_weights |= !t->nr_runs;
	if (of == TALLY_WINDOWS)
		err = add_windows(w);
	else
		err = of == TALLY_THREADS ? add_threads(w) : add_all(w);
	if (!w->p->duration_ns || (t->nr_runs && !t->duration_ns))
		t->duration_ns = 0;
	else
		t->duration_ns += w->p->duration_ns;
	t->nr_runs++;
	return err;
}

int unit_tally__add(struct unit_tally *t, struct tally_names *names, const struct profile *p,
		    uint32_t event, const struct tally_opts *o)
{
	struct walk w = { .t = t, .p = p, .o = o, .event = event };
	int err = 0;

	if (event >= p->nr_events)
		return -EINVAL;
	w.function = calloc(p->nr_frames + 1, sizeof(*w.function));
	if (!w.function)
		err = -ENOMEM;
	for (size_t i = 0; i < p->nr_frames && !err; i++)
		err = tally_names__of(names, p, i, &w.function[i]);
	w.sums = calloc(names->nr + 1, sizeof(*w.sums));
	w.seen = calloc(names->nr + 1, sizeof(*w.seen));
	w.touched = calloc(names->nr + 1, sizeof(*w.touched));
	if (!w.sums || !w.seen || !w.touched)
		err = -ENOMEM;
	if (!err)
		err = add_units(&w);
	free(w.function);
	free(w.sums);
	free(w.seen);
	free(w.touched);
	return err;
}

void unit_tally__free(struct unit_tally *t)
{
	free(t->parts);
	free(t->units);
	*t = (struct unit_tally){};
}
