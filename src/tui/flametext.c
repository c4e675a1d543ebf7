// SPDX-License-Identifier: BSD-2-Clause
/* Lays the nodes of a tree out as boxes of whole columns; moves the cursor, zooms. */
#include "tui/flametext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/treepath.h"

enum { LABEL_MIN = 3 }; /* columns: a label cut to less says nothing */

struct flametext {
	const struct profile *p;
	const struct tree *t; /* NULL: there is none */
	uint64_t *keys;	      /* of each node; treepath__keys() */
	struct flametext_area area;
	struct treepath at, zoom;
	struct flametext_box *boxes; /* of all levels */
	size_t nr_boxes, cap_boxes;
	uint32_t nr_levels, top; /* the first level that has a row */
	size_t seen, nr_seen;	 /* the boxes that have rows: index of the first, how many */
	size_t cursor;		 /* index into all boxes */
	bool to_middle; /* scroll the cursor's level to the middle row once there are rows */
};

/* A row while it is laid out. */
struct level {
	uint64_t free_at; /* samples: where the next box begins */
	/* A run of siblings that are too small for boxes of their own; first == end: none. */
	uint64_t start, total;
	uint32_t first, end, parent, largest;
};

/* What is laid out, and its scale: so many samples are the width of the area. */
struct scale {
	uint32_t zoom, zoom_depth; /* the zoomed node: it has the whole width */
	uint64_t samples;
	struct level *levels;
};

struct flametext *flametext__new(void)
{
	return calloc(1, sizeof(struct flametext));
}

void flametext__free(struct flametext *f)
{
	if (!f)
		return;
	free(f->keys);
	free(f->boxes);
	treepath__free(&f->at);
	treepath__free(&f->zoom);
	free(f);
}

/* Rounds an edge of a box. Neighbours share an edge, so there are no gaps and no overlaps. */
static uint32_t column_of(const struct flametext *f, const struct scale *s, uint64_t samples)
{
	return (2 * (unsigned __int128)samples * f->area.width + s->samples) /
	       (2 * (unsigned __int128)s->samples);
}

static enum flametext_color color_of(const struct flametext *f, uint32_t node)
{
	static const enum flametext_color by_kind[] = {
		[FRAME_COMM] = FLAMETEXT_COMM,	   [FRAME_USER] = FLAMETEXT_USER,
		[FRAME_KERNEL] = FLAMETEXT_KERNEL, [FRAME_JIT] = FLAMETEXT_JIT,
		[FRAME_NOTE] = FLAMETEXT_NOTE,	   [FRAME_INLINED] = FLAMETEXT_INLINED,
	};

	return node ? by_kind[f->p->frames[f->t->nodes[node].frame].kind] : FLAMETEXT_ROOT;
}

/* Sets the label: as much of the name as fits, or "…" for a box that merges several nodes. */
static void put_label(const struct flametext *f, struct flametext_box *b)
{
	size_t len, used;

	b->label = b->color == FLAMETEXT_MERGED ? "…" : tree__name(f->t, f->p, b->node);
	len = strlen(b->label);
	b->label_len = utf8__fit(b->label, len, b->width, &used);
	b->cut = b->label_len < len;
	if (b->cut && b->width < LABEL_MIN) {
		b->label_len = used = 0;
		b->cut = false;
	} else if (b->cut) {
		b->label_len = utf8__fit(b->label, len, b->width - 1, &used);
		used++;
	}
	b->label_width = used;
}

/* Adds a box that begins at @start, in samples; none if its width rounds to 0 columns. */
static int add_box(struct flametext *f, const struct scale *s, struct flametext_box box,
		   uint64_t start)
{
	uint32_t right = column_of(f, s, start + box.total);
	int err;

	box.column = column_of(f, s, start);
	box.width = right - box.column;
	if (!box.width)
		return 0;
	err = array__grow(&f->boxes, &f->cap_boxes, f->nr_boxes + 1);
	if (err)
		return err;
	put_label(f, &box);
	f->boxes[f->nr_boxes++] = box;
	return 0;
}

/* Ends the run of small siblings of that depth, if there is one: it gets a box. */
static int end_run(struct flametext *f, const struct scale *s, uint32_t depth)
{
	struct level *l = &s->levels[depth];
	struct flametext_box box = {
		.node = l->largest,
		.first = l->first,
		.end = l->end,
		.level = s->zoom_depth + depth,
		.total = l->total,
	};
	bool several = l->first != l->end && f->t->nodes[l->first].end != l->end;

	if (l->first == l->end)
		return 0;
	box.color = several ? FLAMETEXT_MERGED : color_of(f, l->first);
	l->first = l->end = 0;
	return add_box(f, s, box, l->start);
}

/* Adds a node of less than a column to the run of such siblings before it, or begins one. */
static int add_small(struct flametext *f, const struct scale *s, uint32_t depth, uint32_t n,
		     uint64_t start)
{
	const struct tree_node *node = &f->t->nodes[n];
	struct level *l = &s->levels[depth];
	int err = 0;

	if (l->end != n || l->parent != node->parent) {
		err = end_run(f, s, depth);
		l->first = l->largest = n;
		l->parent = node->parent;
		l->start = start;
		l->total = 0;
	}
	l->end = node->end;
	l->total += node->total;
	if (node->total > f->t->nodes[l->largest].total)
		l->largest = n;
	return err;
}

static int add_node(struct flametext *f, const struct scale *s, uint32_t depth, uint32_t n,
		    uint64_t start)
{
	struct flametext_box box = {
		.node = n,
		.first = n,
		.end = f->t->nodes[n].end,
		.level = s->zoom_depth + depth,
		.total = f->t->nodes[n].total,
		.color = color_of(f, n),
	};
	int err = end_run(f, s, depth);

	return err ? err : add_box(f, s, box, start);
}

/* Adds the callers of the zoomed node, as wide as it is. */
static int add_above(struct flametext *f, const struct scale *s)
{
	int err = 0;

	for (uint32_t n = s->zoom; n && !err;) {
		n = f->t->nodes[n].parent;
		err = array__grow(&f->boxes, &f->cap_boxes, f->nr_boxes + 1);
		if (err)
			break;
		f->boxes[f->nr_boxes] = (struct flametext_box){
			.width = f->area.width,
			.node = n,
			.first = n,
			.end = f->t->nodes[n].end,
			.level = f->t->nodes[n].depth,
			.is_above = true,
			.total = f->t->nodes[n].total,
			.color = color_of(f, n),
		};
		put_label(f, &f->boxes[f->nr_boxes++]);
	}
	return err;
}

static int lay_out(struct flametext *f, const struct scale *s)
{
	uint32_t n = s->zoom, end = f->t->nodes[s->zoom].end, depth;
	int err = 0;

	while (n < end && !err) {
		const struct tree_node *node = &f->t->nodes[n];
		uint64_t start;
		bool small;

		depth = node->depth - s->zoom_depth;
		start = s->levels[depth].free_at;
		small = (unsigned __int128)node->total * f->area.width < s->samples;
		s->levels[depth].free_at += node->total;
		s->levels[depth + 1].free_at = start;
		err = small ? add_small(f, s, depth, n, start) : add_node(f, s, depth, n, start);
		n = small ? node->end : n + 1;
	}
	for (depth = 0; depth <= f->t->depth - s->zoom_depth && !err; depth++)
		err = end_run(f, s, depth);
	return err;
}

static int compare_places(const void *a, const void *b)
{
	const struct flametext_box *x = a, *y = b;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return (x->column > y->column) - (x->column < y->column);
}

/* Index of the smallest box that has the node in it. */
static size_t box_of(const struct flametext *f, uint32_t node)
{
	size_t found = 0;

	for (size_t i = 0; i < f->nr_boxes; i++)
		if (node >= f->boxes[i].first && node < f->boxes[i].end)
			found = i; /* boxes are sorted by level: a later one is smaller */
	return found;
}

/* Chooses the levels that get rows: as many as there are rows, the cursor's among them. */
static void choose_seen(struct flametext *f)
{
	uint32_t level = f->nr_boxes ? f->boxes[f->cursor].level : 0, row;
	uint32_t most = f->nr_levels > f->area.height ? f->nr_levels - f->area.height : 0;

	if (f->to_middle && f->nr_boxes && f->area.height) {
		f->top = level > f->area.height / 2 ? level - f->area.height / 2 : 0;
		f->to_middle = false;
	}
	f->top = f->top > most ? most : f->top;
	if (level < f->top)
		f->top = level;
	if (f->area.height && level - f->top >= f->area.height)
		f->top = level - f->area.height + 1;
	f->seen = f->nr_seen = 0;
	for (size_t i = 0; i < f->nr_boxes; i++) {
		struct flametext_box *b = &f->boxes[i];

		if (b->level < f->top || b->level - f->top >= f->area.height)
			continue;
		if (!f->nr_seen++)
			f->seen = i;
		row = b->level - f->top;
		b->row = f->area.flame ? f->area.height - 1 - row : row;
	}
}

static int make_boxes(struct flametext *f)
{
	struct scale s = {};
	int err;

	f->nr_boxes = f->nr_levels = 0;
	f->cursor = 0;
	if (f->t && f->area.width) {
		s.zoom = treepath__find(&f->zoom, f->t, f->keys);
		s.zoom_depth = f->t->nodes[s.zoom].depth;
		s.samples = f->t->nodes[s.zoom].total;
	}
	if (s.samples) {
		s.levels = calloc((size_t)f->t->depth + 2, sizeof(*s.levels));
		err = s.levels ? lay_out(f, &s) : -ENOMEM;
		if (!err)
			err = add_above(f, &s);
		free(s.levels);
		if (err)
			f->nr_boxes = 0;
		if (err)
			return err;
		qsort(f->boxes, f->nr_boxes, sizeof(*f->boxes), compare_places);
		f->nr_levels = f->boxes[f->nr_boxes - 1].level + 1;
		f->cursor = box_of(f, treepath__find(&f->at, f->t, f->keys));
	}
	for (size_t i = 1; i < f->nr_boxes; i++)
		f->boxes[i].odd =
			f->boxes[i].level == f->boxes[i - 1].level && !f->boxes[i - 1].odd;
	choose_seen(f);
	return 0;
}

int flametext__set(struct flametext *f, const struct profile *p, const struct tree *t)
{
	free(f->keys);
	f->keys = t ? treepath__keys(t, p) : NULL;
	f->p = p;
	f->t = f->keys ? t : NULL;
	if (t && !f->t) {
		f->nr_boxes = f->nr_seen = 0;
		return -ENOMEM;
	}
	return make_boxes(f);
}

int flametext__resize(struct flametext *f, const struct flametext_area *area)
{
	f->area = *area;
	return make_boxes(f);
}

const struct flametext_box *flametext__boxes(const struct flametext *f, size_t *nr)
{
	*nr = f->nr_seen;
	return f->boxes + f->seen;
}

size_t flametext__cursor(const struct flametext *f)
{
	return f->cursor - f->seen;
}

uint32_t flametext__levels(const struct flametext *f, uint32_t *first)
{
	*first = f->top;
	return f->nr_levels;
}

static int go_to(struct flametext *f, size_t box)
{
	f->cursor = box;
	choose_seen(f);
	return treepath__set(&f->at, f->t, f->keys, f->boxes[box].node);
}

int flametext__go(struct flametext *f, size_t box)
{
	return box < f->nr_seen ? go_to(f, f->seen + box) : 0;
}

/* The box that a move leads to; the cursor's own if there is none. */
static size_t next_box(const struct flametext *f, enum flametext_move move)
{
	const struct flametext_box *at = &f->boxes[f->cursor], *b;
	size_t found = f->cursor, i;

	switch (move) {
	case FLAMETEXT_LEFT:
		return found && at[-1].level == at->level ? found - 1 : found;
	case FLAMETEXT_RIGHT:
		return found + 1 < f->nr_boxes && at[1].level == at->level ? found + 1 : found;
	case FLAMETEXT_CALLER:
		for (i = found; i-- > 0;)
			if (f->boxes[i].level < at->level && at->node >= f->boxes[i].first &&
			    at->node < f->boxes[i].end)
				return i;
		return found;
	case FLAMETEXT_CALLEE:
		for (i = found + 1; i < f->nr_boxes; i++) {
			b = &f->boxes[i];
			if (b->level == at->level + 1 && b->first > at->first &&
			    b->end <= at->end &&
			    (found == f->cursor || b->width > f->boxes[found].width))
				found = i;
		}
		return found;
	}
	return found;
}

int flametext__move(struct flametext *f, enum flametext_move move)
{
	return f->nr_boxes ? go_to(f, next_box(f, move)) : 0;
}

uint32_t flametext__node(const struct flametext *f)
{
	return f->t ? treepath__find(&f->at, f->t, f->keys) : 0;
}

int flametext__show(struct flametext *f, uint32_t node)
{
	uint32_t zoom;
	int err;

	if (!f->t)
		return 0;
	zoom = treepath__find(&f->zoom, f->t, f->keys);
	if (node < zoom || node >= f->t->nodes[zoom].end)
		f->zoom.nr = 0;
	err = treepath__set(&f->at, f->t, f->keys, node);
	return err ? err : make_boxes(f);
}

int flametext__focus(struct flametext *f, uint32_t node)
{
	int err = f->t ? treepath__set(&f->zoom, f->t, f->keys, node) : 0;

	f->to_middle = true;
	return err ? err : flametext__show(f, node);
}

int flametext__zoom(struct flametext *f)
{
	int err = 0;

	if (f->nr_boxes)
		err = treepath__set(&f->zoom, f->t, f->keys, f->boxes[f->cursor].node);
	if (!err && f->nr_boxes)
		err = go_to(f, f->cursor);
	return err ? err : make_boxes(f);
}

int flametext__unzoom(struct flametext *f)
{
	f->zoom.nr = 0;
	return make_boxes(f);
}

bool flametext__is_zoomed(const struct flametext *f)
{
	return f->zoom.nr > 0;
}
