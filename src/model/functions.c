// SPDX-License-Identifier: BSD-2-Clause
/* Sums self and total samples of each function over a tree of stacks, and sorts them. */
#include "model/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile.h"
#include "model/tree.h"

/*
 * The outermost occurrence of a function on a path stands for the whole subtree, so
 * inner ones add nothing to its total. @open counts occurrences on the current path.
 */
static void sum_frames(struct function *by, const struct tree *t, uint32_t *open, uint32_t *path)
{
	uint32_t depth = 0;

	for (size_t i = 1; i < t->nr; i++) {
		const struct tree_node *n = &t->nodes[i];
		struct function *f = &by[n->frame];

		while (depth >= n->depth)
			open[path[depth--]]--;
		path[++depth] = n->frame;
		if (!open[n->frame]++) {
			f->total += n->total;
			f->total_weight += n->total_weight;
		}
		f->self += n->self;
		f->self_weight += n->self_weight;
	}
}

static int compare(const void *a, const void *b, void *profile)
{
	const struct function *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strcmp(profile__name(profile, x->frame), profile__name(profile, y->frame));
}

static int fill(struct functions *f, const struct profile *p, const struct tree *t)
{
	uint32_t *open = calloc(p->nr_frames + 1, sizeof(*open));
	uint32_t *path = calloc((size_t)t->depth + 1, sizeof(*path));
	int err = open && path ? 0 : -ENOMEM;

	f->by = calloc(p->nr_frames + 1, sizeof(*f->by));
	if (!f->by)
		err = -ENOMEM;
	if (err)
		goto out_free;
	sum_frames(f->by, t, open, path);
	f->samples = t->nodes[0].total;
	for (size_t i = 0; i < p->nr_frames; i++) {
		f->by[i].frame = i;
		if (f->by[i].total)
			f->by[f->nr++] = f->by[i];
	}
	qsort_r(f->by, f->nr, sizeof(*f->by), compare, (void *)p);
out_free:
	free(open);
	free(path);
	return err;
}

int functions__new(struct functions **out, const struct profile *p, uint32_t event,
		   const struct scope *scope)
{
	const struct tree_opts opts = { .event = event, .scope = scope };
	struct functions *f;
	struct tree *t;
	int err;

	*out = NULL;
	err = tree__new(&t, p, &opts);
	if (err)
		return err;
	f = calloc(1, sizeof(*f));
	err = f ? fill(f, p, t) : -ENOMEM;
	tree__free(t);
	if (err)
		functions__free(f);
	else
		*out = f;
	return err;
}

void functions__free(struct functions *f)
{
	if (!f)
		return;
	free(f->by);
	free(f);
}
