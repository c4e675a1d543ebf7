// SPDX-License-Identifier: BSD-2-Clause
/* Builds the tree of stacks, forward or reversed, and lays it out in preorder by name. */
#include "model/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "base/strtab.h"
#include "base/trie.h"
#include "model/profile.h"
#include "model/scope.h"

/* What the tree is of: the profile's own nodes, or a trie of other frames or another order. */
struct paths {
	const struct stack_node *nodes; /* each behind its parent; 0 is the root */
	size_t nr;
	uint32_t *ends; /* by node of the profile: where its stack ends here; NULL: there */
	struct stack_node *own;
	size_t cap;
	struct trie trie; /* of what is own, by frame */
};

static void free_paths(struct paths *to)
{
	free(to->ends);
	free(to->own);
	trie__free(&to->trie);
}

static int find_child(struct paths *to, uint32_t parent, uint32_t frame, uint32_t *id)
{
	int err;

	if (trie__get(&to->trie, parent, frame, id))
		return 0;
	err = array__grow(&to->own, &to->cap, to->nr + 1);
	if (!err)
		err = trie__add(&to->trie, parent, frame);
	if (err)
		return err;
	to->own[to->nr] = (struct stack_node){ .parent = parent, .frame = frame };
	*id = to->nr++;
	return 0;
}

static bool is_wanted(const struct profile *p, const struct tree_opts *o, const struct row *r)
{
	return (o->all_events || r->key.event == o->event) && scope__has(o->scope, p, r);
}

static int merge_frames(struct paths *to, const struct profile *p, const uint32_t *stands_for)
{
	int err = 0;

	for (size_t i = 1; i < p->nr_nodes && !err; i++)
		err = find_child(to, to->ends[p->nodes[i].parent], stands_for[p->nodes[i].frame],
				 &to->ends[i]);
	return err;
}

static int merge_reversed(struct paths *to, const struct profile *p, const struct tree_opts *o)
{
	int err = 0;

	for (size_t i = 0; i < p->nr_rows && !err; i++) {
		const struct row *r = &p->rows[i];
		uint32_t at = 0;

		if (!r->samples || to->ends[r->key.stack] || !is_wanted(p, o, r))
			continue;
		for (uint32_t n = r->key.stack; n && !err; n = p->nodes[n].parent) {
			const uint32_t frame = p->nodes[n].frame;

			err = find_child(to, at, o->stands_for ? o->stands_for[frame] : frame, &at);
		}
		to->ends[r->key.stack] = at;
	}
	return err;
}

static bool merges_some(const uint32_t *stands_for, const struct profile *p)
{
	for (size_t i = 0; stands_for && i < p->nr_frames; i++)
		if (stands_for[i] != i)
			return true;
	return false;
}

static int find_paths(struct paths *to, const struct profile *p, const struct tree_opts *o)
{
	int err;

	if (!o->reverse && !merges_some(o->stands_for, p)) {
		to->nodes = p->nodes;
		to->nr = p->nr_nodes;
		return 0;
	}
	to->ends = calloc(p->nr_nodes, sizeof(*to->ends));
	err = to->ends ? array__grow(&to->own, &to->cap, 1) : -ENOMEM;
	if (err)
		return err;
	to->own[to->nr++] = (struct stack_node){ .frame = TREE_NO_FRAME };
	err = o->reverse ? merge_reversed(to, p, o) : merge_frames(to, p, o->stands_for);
	to->nodes = to->own;
	return err;
}

static uint32_t end_of(const struct paths *from, const struct row *r)
{
	return from->ends ? from->ends[r->key.stack] : r->key.stack;
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

/* By node of the paths. */
struct layout {
	uint32_t *all;	/* owns these: */
	uint32_t *size; /* nodes of its subtree that have samples, with itself; 0: it has none */
	uint32_t *at;	/* its index in the tree */
	uint32_t *used; /* what its children have of the indexes behind it */
};

static int new_layout(struct layout *l, size_t nr)
{
	const size_t bytes = 3 * nr * sizeof(*l->all);

	l->all = pages__alloc(bytes);
	if (!l->all)
		return -ENOMEM;
	memset(l->all, 0, bytes);
	l->size = l->all;
	l->at = l->size + nr;
	l->used = l->at + nr;
	return 0;
}

static void measure(struct layout *l, const struct paths *from, const struct profile *p,
		    const struct tree_opts *o)
{
	uint32_t *size = l->size;
	size_t i;

	size[0] = 1;
	for (i = 0; i < p->nr_rows; i++)
		if (p->rows[i].samples && is_wanted(p, o, &p->rows[i]))
			size[end_of(from, &p->rows[i])] = 1;
	for (i = from->nr; i-- > 1;)
		if (size[i])
			size[from->nodes[i].parent] = 1;
	for (i = from->nr; i-- > 1;)
		size[from->nodes[i].parent] += size[i];
}

/* In most stacks most nodes are the only child. */
static bool has_siblings(const struct layout *l, const struct paths *from, size_t i)
{
	return l->size[i] && l->size[from->nodes[i].parent] != l->size[i] + 1;
}

/* Siblings get their places behind their parent, all nodes in the order of their names. */
static int place_siblings(struct layout *l, const struct paths *from, const struct profile *p)
{
	uint32_t *rank = rank_frames(p), *order = NULL;
	uint32_t *next = calloc(p->nr_frames + 1, sizeof(*next)); /* by rank: place in the order */
	size_t nr = 0, i;
	int err = -ENOMEM;

	if (!rank || !next)
		goto out_free;
	for (i = 1; i < from->nr; i++)
		if (has_siblings(l, from, i)) {
			next[rank[from->nodes[i].frame] + 1]++;
			nr++;
		}
	order = malloc((nr + 1) * sizeof(*order));
	if (!order)
		goto out_free;
	for (i = 1; i < p->nr_frames; i++)
		next[i] += next[i - 1];
	for (i = 1; i < from->nr; i++)
		if (has_siblings(l, from, i))
			order[next[rank[from->nodes[i].frame]]++] = i;
	for (i = 0; i < nr; i++) {
		const uint32_t id = order[i], parent = from->nodes[id].parent;

		l->at[id] = l->used[parent];
		l->used[parent] += l->size[id];
	}
	err = 0;
out_free:
	free(rank);
	free(next);
	free(order);
	return err;
}

/* Parents come first among the paths, as in the tree. */
static void put_nodes(struct tree *t, struct layout *l, const struct paths *from)
{
	for (size_t i = 0; i < from->nr; i++) {
		const uint32_t parent = i ? l->at[from->nodes[i].parent] : 0;
		struct tree_node *n;

		if (!l->size[i])
			continue;
		if (i)
			l->at[i] += parent + 1;
		n = &t->nodes[l->at[i]];
		*n = (struct tree_node){
			.frame = i ? from->nodes[i].frame : TREE_NO_FRAME,
			.parent = parent,
			.end = l->at[i] + l->size[i],
			.depth = i ? t->nodes[parent].depth + 1 : 0,
		};
		if (n->depth > t->depth)
			t->depth = n->depth;
	}
	t->nr = l->size[0];
}

static void sum_up(struct tree *t, const struct layout *l, const struct paths *from,
		   const struct profile *p, const struct tree_opts *o)
{
	for (size_t i = 0; i < p->nr_rows; i++) {
		const struct row *r = &p->rows[i];
		const uint32_t end = end_of(from, r);

		if (!l->size[end] || !is_wanted(p, o, r))
			continue;
		t->nodes[l->at[end]].self += r->samples;
		if (t->self_weights)
			t->self_weights[l->at[end]] += r->weight;
	}
	for (size_t i = t->nr; i-- > 1;) {
		t->nodes[i].total += t->nodes[i].self;
		t->nodes[t->nodes[i].parent].total += t->nodes[i].total;
	}
	t->nodes[0].total += t->nodes[0].self;
}

/* Weights of events by subtree: at most as many as there are events. */
static void count_up(struct tree *t, const struct layout *l, const struct paths *from,
		     const struct profile *p, const struct tree_opts *o)
{
	const size_t nr = o->nr_counted;

	for (size_t i = 0; i < p->nr_rows; i++) {
		const struct row *r = &p->rows[i];
		const uint32_t end = end_of(from, r);

		/* Reversed, stacks without samples of the event are nowhere. */
		if (!l->size[end] || (!end && r->key.stack) || !scope__has(o->scope, p, r))
			continue;
		for (size_t k = 0; k < nr; k++)
			if (o->counted[k] == r->key.event)
				t->counted[l->at[end] * nr + k] += r->weight;
	}
	for (size_t i = t->nr; i-- > 1;)
		for (size_t k = 0; k < nr; k++)
			t->counted[t->nodes[i].parent * nr + k] += t->counted[i * nr + k];
}

static int build(struct tree *t, const struct paths *from, const struct profile *p,
		 const struct tree_opts *o)
{
	struct layout l;
	int err = new_layout(&l, from->nr);

	if (err)
		return err;
	measure(&l, from, p, o);
	err = place_siblings(&l, from, p);
	if (!err) {
		t->nodes = pages__alloc(l.size[0] * sizeof(*t->nodes));
		t->self_weights = o->weights ? calloc(l.size[0], sizeof(*t->self_weights)) : NULL;
		t->counted = o->nr_counted ? calloc(l.size[0] * o->nr_counted, sizeof(*t->counted))
					   : NULL;
		err = t->nodes && (t->self_weights || !o->weights) && (t->counted || !o->nr_counted)
			      ? 0
			      : -ENOMEM;
	}
	if (!err) {
		put_nodes(t, &l, from);
		sum_up(t, &l, from, p, o);
		if (o->nr_counted)
			count_up(t, &l, from, p, o);
	}
	free(l.all);
	return err;
}

int tree__new(struct tree **out, const struct profile *p, const struct tree_opts *opts)
{
	struct paths paths = {};
	struct tree *t;
	int err;

	*out = NULL;
	if (!opts->all_events && opts->event >= p->nr_events)
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	err = find_paths(&paths, p, opts);
	if (!err)
		err = build(t, &paths, p, opts);
	free_paths(&paths);
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
	free(t->self_weights);
	free(t->counted);
	free(t);
}

const char *tree__name(const struct tree *t, const struct profile *p, uint32_t node)
{
	uint32_t frame = t->nodes[node].frame;
	const char *name = frame == TREE_NO_FRAME ? "all" : profile__name(p, frame);

	return *name ? name : "[unknown]";
}
