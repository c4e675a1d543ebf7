// SPDX-License-Identifier: BSD-2-Clause
/* Finds the location of each node of the stacks, counts samples of each, and numbers by that. */
#include "print/pprof_locations.h"

#include <errno.h>
#include <stdlib.h>

#include "base/idmap.h"
#include "model/profile.h"
#include "print/pprof_tables.h"

struct location {
	uint32_t frame;
	uint32_t outer; /* the location that its frame is inlined into; 0: it is not */
	uint64_t uses;	/* in stacks of rows */
	uint32_t id;
};

struct finder {
	const struct profile *p;
	struct location *items; /* from the second one on; an outer one before what is in it */
	size_t nr, cap;
	uint32_t *alone;      /* by frame: its location, if it is inlined into none */
	struct idmap inlined; /* outer << 32 | frame -> location */
	uint32_t *frames;     /* of the location that is written */
	size_t cap_frames;
};

static uint32_t parent_of(const struct profile *p, uint32_t node)
{
	return p->nodes[node].parent;
}

/* One location with its parent, unless that is the command. */
static bool is_inlined(const struct profile *p, uint32_t node)
{
	return p->frames[p->nodes[node].frame].kind == FRAME_INLINED && parent_of(p, node) &&
	       parent_of(p, parent_of(p, node));
}

static int add_location(struct finder *f, uint32_t frame, uint32_t outer, uint32_t *index)
{
	int err = array__grow(&f->items, &f->cap, f->nr + 1);

	if (!err && outer)
		err = idmap__set(&f->inlined, (uint64_t)outer << 32 | frame, f->nr);
	if (err)
		return err;
	if (!outer)
		f->alone[frame] = f->nr;
	*index = f->nr;
	f->items[f->nr++] = (struct location){ .frame = frame, .outer = outer };
	return 0;
}

static int find_location(struct finder *f, uint32_t frame, uint32_t outer, uint32_t *index)
{
	if (outer && idmap__get(&f->inlined, (uint64_t)outer << 32 | frame, index))
		return 0;
	if (!outer && f->alone[frame]) {
		*index = f->alone[frame];
		return 0;
	}
	return add_location(f, frame, outer, index);
}

/* Parents stand before their children. Ids are indices here. */
static int find_all(struct finder *f, struct pprof_location *of)
{
	const struct profile *p = f->p;
	int err = 0;

	for (uint32_t n = 1; n < p->nr_nodes && !err; n++) {
		const uint32_t parent = parent_of(p, n);
		uint32_t outer = 0;

		if (is_inlined(p, n)) {
			outer = of[parent].id;
			of[n].next = of[parent].next;
		} else if (parent_of(p, parent)) {
			of[n].next = parent;
		}
		err = find_location(f, p->nodes[n].frame, outer, &of[n].id);
	}
	return err;
}

/* @ends: by node, how many of the stacks end there; those that go through it are added. */
static void count_uses(struct finder *f, const struct pprof_location *of, uint32_t *ends)
{
	const struct profile *p = f->p;

	for (uint32_t n = p->nr_nodes; n-- > 1;) {
		const uint32_t parent = parent_of(p, n);

		if (!ends[n])
			continue;
		f->items[of[n].id].uses += ends[n];
		/* Of a command what ends there; of what something is inlined into, all but that. */
		if (parent && parent_of(p, parent)) {
			ends[parent] += ends[n];
			if (is_inlined(p, n))
				f->items[of[parent].id].uses -= ends[n];
		}
	}
}

static int compare_uses(const void *one, const void *two, void *locations)
{
	const struct location *l = locations;
	const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)two;

	if (l[a].uses != l[b].uses)
		return l[a].uses > l[b].uses ? -1 : 1;
	return (a > b) - (a < b);
}

/* Writes a location, which gets the next id: its frames, the innermost first. */
static int put_location(struct finder *f, struct pprof_tables *t, struct location *l)
{
	size_t nr = 0;

	for (const struct location *at = l; at; at = at->outer ? &f->items[at->outer] : NULL) {
		int err = array__grow(&f->frames, &f->cap_frames, nr + 1);

		if (err)
			return err;
		f->frames[nr++] = at->frame;
	}
	l->id = pprof_tables__location(t, f->frames, nr);
	return t->err;
}

/* Those that are in a stack. */
static int put_all(struct finder *f, struct pprof_tables *t)
{
	uint32_t *order = calloc(f->nr, sizeof(*order));
	size_t nr = 0;
	int err = order ? 0 : -ENOMEM;

	for (size_t i = 1; i < f->nr && !err; i++)
		if (f->items[i].uses)
			order[nr++] = i;
	if (!err)
		qsort_r(order, nr, sizeof(*order), compare_uses, f->items);
	for (size_t i = 0; i < nr && !err; i++)
		err = put_location(f, t, &f->items[order[i]]);
	free(order);
	return err;
}

int pprof_locations__write(struct pprof_locations *l, struct pprof_tables *t, const uint32_t *rows,
			   size_t nr)
{
	const struct profile *p = t->p;
	struct finder f = { .p = p, .nr = 1 };
	uint32_t *ends = calloc(p->nr_nodes + 1, sizeof(*ends));
	int err = array__grow(&f.items, &f.cap, f.nr);

	f.alone = calloc(p->nr_frames + 1, sizeof(*f.alone));
	l->of = calloc(p->nr_nodes + 1, sizeof(*l->of));
	if (!err && (!ends || !f.alone || !l->of))
		err = -ENOMEM;
	if (!err)
		err = find_all(&f, l->of);
	if (!err) {
		for (size_t i = 0; i < nr; i++)
			ends[p->rows[rows[i]].key.stack]++;
		count_uses(&f, l->of, ends);
		err = put_all(&f, t);
	}
	for (uint32_t n = 1; n < p->nr_nodes && !err; n++)
		l->of[n].id = f.items[l->of[n].id].id;
	free(ends);
	free(f.items);
	free(f.alone);
	free(f.frames);
	idmap__free(&f.inlined);
	return err;
}

int pprof_locations__of(struct pprof_locations *l, const struct profile *p, uint32_t node,
			size_t *nr, uint32_t *command)
{
	*nr = 0;
	*command = node;
	for (; node; node = l->of[node].next) {
		if (*nr == l->cap_ids) {
			int err = array__grow(&l->ids, &l->cap_ids, *nr + 1);

			if (err)
				return err;
		}
		l->ids[(*nr)++] = l->of[node].id;
		*command = node;
	}
	while (*command && parent_of(p, *command))
		*command = parent_of(p, *command);
	return 0;
}

void pprof_locations__free(struct pprof_locations *l)
{
	free(l->of);
	free(l->ids);
	*l = (struct pprof_locations){};
}
