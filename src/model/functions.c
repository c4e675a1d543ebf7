// SPDX-License-Identifier: BSD-2-Clause
/* Sums self and total samples of each function over a tree of stacks, and sorts them. */
#include "model/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/node_sums.h"
#include "model/profile.h"
#include "model/scope.h"

/* The stacks of a profile, gone through in order of their nodes. */
struct walk {
	const struct profile *p;
	struct function *by; /* of each frame */
	struct node_sums sums;
	uint32_t *open;		/* how often each frame is on the path */
	uint32_t *path, *below; /* nodes, ascending; those that come to the path next */
	size_t nr_path, cap_path, cap_below;
};

static void sum_selfs(struct walk *w, uint32_t event, const struct scope *scope)
{
	const struct profile *p = w->p;

	for (size_t i = 0; i < p->nr_rows; i++) {
		const struct row *r = &p->rows[i];
		struct function *f;

		if (r->key.event != event || !r->key.stack || !scope__has(scope, p, r))
			continue;
		f = &w->by[p->nodes[r->key.stack].frame];
		f->self += r->samples;
		f->self_weight += r->weight;
	}
}

static int push(struct walk *w, uint32_t node)
{
	int err = array__grow(&w->path, &w->cap_path, w->nr_path + 1);

	if (err)
		return err;
	w->path[w->nr_path++] = node;
	w->open[w->p->nodes[node].frame]++;
	return 0;
}

/* Makes the path that of @node: up from it to what both have, and down again. */
static int go_to(struct walk *w, uint32_t node)
{
	size_t nr = 0;
	int err = 0;

	for (; !err; node = w->p->nodes[node].parent) {
		while (w->nr_path && w->path[w->nr_path - 1] > node)
			w->open[w->p->nodes[w->path[--w->nr_path]].frame]--;
		if (!node || (w->nr_path && w->path[w->nr_path - 1] == node))
			break;
		err = array__grow(&w->below, &w->cap_below, nr + 1);
		if (!err)
			w->below[nr++] = node;
	}
	while (!err && nr)
		err = push(w, w->below[--nr]);
	return err;
}

/*
 * The outermost occurrence of a function on a path stands for the whole subtree, so inner ones add
 * nothing to its total. Nodes stand mostly below the one before: the path changes little.
 */
static int sum_totals(struct walk *w)
{
	int err = 0;

	for (size_t i = 1; i < w->p->nr_nodes && !err; i++) {
		const struct stack_node *n = &w->p->nodes[i];
		struct function *f = &w->by[n->frame];

		if (!w->sums.samples[i])
			continue;
		err = go_to(w, n->parent);
		if (!err && !w->open[n->frame]) {
			f->total += w->sums.samples[i];
			f->total_weight += w->sums.weight ? w->sums.weight[i] : 0;
		}
		if (!err)
			err = push(w, i);
	}
	return err;
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

static int fill(struct functions *f, const struct profile *p, uint32_t event,
		const struct scope *scope)
{
	struct walk w = { .p = p, .open = calloc(p->nr_frames + 1, sizeof(*w.open)) };
	int err = w.open ? node_sums__new(&w.sums, p, event, scope) : -ENOMEM;

	w.by = f->by = calloc(p->nr_frames + 1, sizeof(*f->by));
	if (!f->by)
		err = -ENOMEM;
	if (!err) {
		sum_selfs(&w, event, scope);
		err = sum_totals(&w);
	}
	if (!err) {
		f->samples = w.sums.samples[0];
		for (size_t i = 0; i < p->nr_frames; i++) {
			f->by[i].frame = i;
			if (f->by[i].total)
				f->by[f->nr++] = f->by[i];
		}
		qsort_r(f->by, f->nr, sizeof(*f->by), compare, (void *)p);
	}
	node_sums__free(&w.sums);
	free(w.open);
	free(w.path);
	free(w.below);
	return err;
}

int functions__new(struct functions **out, const struct profile *p, uint32_t event,
		   const struct scope *scope)
{
	struct functions *f;
	int err;

	*out = NULL;
	if (event >= p->nr_events)
		return -EINVAL;
	f = calloc(1, sizeof(*f));
	err = f ? fill(f, p, event, scope) : -ENOMEM;
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
