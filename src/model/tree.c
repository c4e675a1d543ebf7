// SPDX-License-Identifier: BSD-2-Clause
/* Builds the tree of stacks, forward or reversed, and lays it out in preorder by name. */
#include "model/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "base/trie.h"
#include "model/profile.h"
#include "model/scope.h"

/* A node while building; ids are greater than their parent's, as in the profile. */
struct draft {
	uint32_t parent;
	uint32_t frame;
	uint64_t self, total;
	uint64_t self_weight, total_weight;
	uint32_t first, next; /* first child, next sibling; 0: none */
};

struct drafts {
	struct draft *by;
	size_t nr, cap;
	struct trie nodes; /* by frame; empty for those that are the profile's */
};

static int find_child(struct drafts *d, uint32_t parent, uint32_t frame, uint32_t *id)
{
	int err;

	if (trie__get(&d->nodes, parent, frame, id))
		return 0;
	err = array__grow(&d->by, &d->cap, d->nr + 1);
	if (!err)
		err = trie__add(&d->nodes, parent, frame);
	if (err)
		return err;
	d->by[d->nr] = (struct draft){ .parent = parent, .frame = frame };
	*id = d->nr++;
	return 0;
}

/* The profile's own trie is the tree. */
static int copy_trie(struct drafts *d, const struct profile *p, const struct tree_opts *o)
{
	size_t i;
	int err = array__grow(&d->by, &d->cap, p->nr_nodes);

	if (err)
		return err;
	d->nr = p->nr_nodes;
	for (i = 0; i < d->nr; i++)
		d->by[i] =
			(struct draft){ .parent = p->nodes[i].parent, .frame = p->nodes[i].frame };
	for (i = 0; i < p->nr_rows; i++) {
		const struct row *r = &p->rows[i];

		if (r->key.event != o->event || !scope__has(o->scope, p, r))
			continue;
		d->by[r->key.stack].self += r->samples;
		d->by[r->key.stack].self_weight += r->weight;
	}
	return 0;
}

/* Samples by node of the profile's trie, moved into a trie of other frames. */
static int merge_frames(struct drafts *d, const struct draft *own, const struct profile *p,
			const uint32_t *stands_for)
{
	uint32_t *moved = calloc(p->nr_nodes, sizeof(*moved));
	int err = moved ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->nr_nodes && !err; i++) {
		if (i)
			err = find_child(d, moved[own[i].parent], stands_for[own[i].frame],
					 &moved[i]);
		if (err)
			break;
		d->by[moved[i]].self += own[i].self;
		d->by[moved[i]].self_weight += own[i].self_weight;
	}
	free(moved);
	return err;
}

static int merge_reversed(struct drafts *d, const struct draft *own, const struct profile *p,
			  const uint32_t *stands_for)
{
	for (size_t i = 0; i < p->nr_nodes; i++) {
		uint32_t at = 0, n;

		if (!own[i].self)
			continue;
		for (n = i; n; n = own[n].parent) {
			uint32_t frame = own[n].frame;
			int err = find_child(d, at, stands_for ? stands_for[frame] : frame, &at);

			if (err)
				return err;
		}
		d->by[at].self += own[i].self;
		d->by[at].self_weight += own[i].self_weight;
	}
	return 0;
}

static bool merges_some(const uint32_t *stands_for, const struct profile *p)
{
	for (size_t i = 0; stands_for && i < p->nr_frames; i++)
		if (stands_for[i] != i)
			return true;
	return false;
}

static int collect(struct drafts *d, const struct profile *p, const struct tree_opts *o)
{
	struct drafts own = {};
	int err;

	if (!o->reverse && !merges_some(o->stands_for, p))
		return copy_trie(d, p, o);
	err = copy_trie(&own, p, o);
	if (!err)
		err = array__grow(&d->by, &d->cap, 1);
	if (!err) {
		d->by[d->nr++] = (struct draft){ .frame = TREE_NO_FRAME };
		if (o->reverse)
			err = merge_reversed(d, own.by, p, o->stands_for);
		else
			err = merge_frames(d, own.by, p, o->stands_for);
	}
	free(own.by);
	return err;
}

/* Sums over subtrees and links the nodes that have samples; returns how many, with the root. */
static size_t sum_up(struct drafts *d)
{
	size_t live = 1;

	for (size_t i = d->nr; i-- > 0;) {
		struct draft *n = &d->by[i], *parent = &d->by[n->parent];

		n->total += n->self;
		n->total_weight += n->self_weight;
		if (!i || !n->total)
			continue;
		parent->total += n->total;
		parent->total_weight += n->total_weight;
		n->next = parent->first;
		parent->first = i;
		live++;
	}
	return live;
}

static int compare_frames(const void *a, const void *b, void *profile)
{
	const struct profile *p = profile;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct frame *f = &p->frames[x], *g = &p->frames[y];
	int diff = strcmp(strtab__get(p->strings, f->name), strtab__get(p->strings, g->name));

	if (!diff)
		diff = (f->kind > g->kind) - (f->kind < g->kind);
	if (!diff)
		diff = strcmp(strtab__get(p->strings, f->module),
			      strtab__get(p->strings, g->module));
	return diff ? diff : (x > y) - (x < y);
}

/* Where each frame stands among all, by name: so nodes compare as numbers. For free(). */
static uint32_t *rank_frames(const struct profile *p)
{
	uint32_t *order = malloc((p->nr_frames + 1) * sizeof(*order));
	uint32_t *rank = malloc((p->nr_frames + 1) * sizeof(*rank));
	size_t i;

	if (order && rank) {
		for (i = 0; i < p->nr_frames; i++)
			order[i] = i;
		qsort_r(order, p->nr_frames, sizeof(*order), compare_frames, (void *)p);
		for (i = 0; i < p->nr_frames; i++)
			rank[order[i]] = i;
	} else {
		free(rank);
		rank = NULL;
	}
	free(order);
	return rank;
}

struct layout {
	const uint32_t *rank; /* by frame */
	struct draft *by;
	uint32_t *todo; /* drafts to lay out, the next one last */
	size_t nr_todo;
};

static int compare_backwards(const void *a, const void *b, void *layout)
{
	const struct layout *l = layout;
	uint32_t x = l->rank[l->by[*(const uint32_t *)a].frame];
	uint32_t y = l->rank[l->by[*(const uint32_t *)b].frame];

	return (x < y) - (x > y);
}

static void add_children(struct layout *l, const struct draft *d)
{
	uint32_t *first = l->todo + l->nr_todo;
	size_t nr = 0;

	for (uint32_t n = d->first; n; n = l->by[n].next)
		first[nr++] = n;
	if (nr > 1)
		qsort_r(first, nr, sizeof(*first), compare_backwards, l);
	l->nr_todo += nr;
}

/* Preorder, without recursion: stacks may be thousands of frames deep. */
static void lay_out(struct tree *t, struct layout *l)
{
	l->todo[l->nr_todo++] = 0;
	while (l->nr_todo) {
		struct draft *d = &l->by[l->todo[--l->nr_todo]];
		struct tree_node *n = &t->nodes[t->nr];

		add_children(l, d);
		/* A draft laid out has no more use for its list: now it says where it went. */
		d->first = t->nr++;
		*n = (struct tree_node){
			.frame = d->first ? d->frame : TREE_NO_FRAME,
			.parent = l->by[d->parent].first,
			.end = t->nr,
			.self = d->self,
			.total = d->total,
			.self_weight = d->self_weight,
			.total_weight = d->total_weight,
		};
		if (d->first)
			n->depth = t->nodes[n->parent].depth + 1;
		if (n->depth > t->depth)
			t->depth = n->depth;
	}
	for (size_t i = t->nr; i-- > 1;) {
		struct tree_node *parent = &t->nodes[t->nodes[i].parent];

		if (t->nodes[i].end > parent->end)
			parent->end = t->nodes[i].end;
	}
}

static int finish(struct tree *t, struct drafts *d, const struct profile *p)
{
	size_t live = sum_up(d);
	uint32_t *rank = rank_frames(p);
	struct layout l = { .rank = rank, .by = d->by, .todo = malloc(live * sizeof(*l.todo)) };
	int err = -ENOMEM;

	t->nodes = malloc(live * sizeof(*t->nodes));
	if (rank && l.todo && t->nodes) {
		lay_out(t, &l);
		err = 0;
	}
	free(rank);
	free(l.todo);
	return err;
}

int tree__new(struct tree **out, const struct profile *p, const struct tree_opts *opts)
{
	struct drafts d = {};
	struct tree *t;
	int err;

	*out = NULL;
	if (opts->event >= p->nr_events)
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	err = collect(&d, p, opts);
	if (!err)
		err = finish(t, &d, p);
	free(d.by);
	trie__free(&d.nodes);
	if (err)
		tree__free(t);
	else
		*out = t;
	return err;
}

void tree__free(struct tree *t)
{
	if (!t)
		return;
	free(t->nodes);
	free(t);
}

const char *tree__name(const struct tree *t, const struct profile *p, uint32_t node)
{
	uint32_t frame = t->nodes[node].frame;
	const char *name = frame == TREE_NO_FRAME ? "all" : profile__name(p, frame);

	return *name ? name : "[unknown]";
}
