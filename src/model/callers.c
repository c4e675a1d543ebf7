// SPDX-License-Identifier: BSD-2-Clause
/* Adds up samples by the frame before a function, and by the frame behind it. */
#include "model/callers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/node_sums.h"
#include "model/profile.h"

struct looking {
	const struct profile *p;
	const uint64_t *samples;     /* of each node and those below it */
	bool *is_it;		     /* frames that are the function */
	uint64_t *callers, *callees; /* by frame */
};

bool callers__is_named(const char *function, const char *name)
{
	const size_t len = strlen(name);

	return !strncmp(function, name, len) && (!function[len] || function[len] == '(');
}

static int find_frames(const struct profile *p, const char *name, bool *is_it)
{
	int err = -ENOENT;

	for (size_t i = 0; i < p->nr_frames; i++) {
		is_it[i] = p->frames[i].kind != FRAME_COMM &&
			   callers__is_named(profile__name(p, i), name);
		if (is_it[i])
			err = 0;
	}
	return err;
}

/* The function is above @node, too; @frame: with this one before it, or behind it. */
static bool is_again(const struct looking *l, uint32_t node, uint32_t frame, bool is_caller)
{
	const struct profile *p = l->p;

	for (uint32_t n = p->nodes[node].parent, before; n; n = before) {
		before = p->nodes[n].parent;
		if (!before)
			break;
		if (is_caller && l->is_it[p->nodes[n].frame] && p->nodes[before].frame == frame)
			return true;
		if (!is_caller && p->nodes[n].frame == frame && l->is_it[p->nodes[before].frame])
			return true;
	}
	return false;
}

static void look_at(struct looking *l, struct callers *c, uint32_t node)
{
	const struct profile *p = l->p;
	const uint32_t frame = p->nodes[node].frame, parent = p->nodes[node].parent;
	const uint32_t before = parent ? p->nodes[parent].frame : 0;

	if (l->is_it[frame] && parent && !is_again(l, node, before, true))
		l->callers[before] += l->samples[node];
	if (parent && l->is_it[before] && !is_again(l, node, frame, false))
		l->callees[frame] += l->samples[node];
	if (!l->is_it[frame])
		return;
	for (uint32_t n = parent; n; n = p->nodes[n].parent)
		if (l->is_it[p->nodes[n].frame])
			return;
	c->total += l->samples[node];
}

static int compare(const void *a, const void *b, void *profile)
{
	const struct call_of *x = a, *y = b;
	int names;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	names = strcmp(profile__name(profile, x->frame), profile__name(profile, y->frame));
	return names ? names : (x->frame > y->frame) - (x->frame < y->frame);
}

static int list(const struct profile *p, const uint64_t *by_frame, struct call_of **out, size_t *nr)
{
	size_t cap = 0;

	for (uint32_t i = 0; i < p->nr_frames; i++) {
		if (!by_frame[i])
			continue;
		if (array__grow(out, &cap, *nr + 1))
			return -ENOMEM;
		(*out)[(*nr)++] = (struct call_of){ i, by_frame[i] };
	}
	if (*nr)
		qsort_r(*out, *nr, sizeof(**out), compare, (void *)p);
	return 0;
}

static int fill(struct callers *c, struct looking *l, const char *name, uint32_t event)
{
	const struct profile *p = l->p;
	int err = find_frames(p, name, l->is_it);

	if (err)
		return err;
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		if (l->samples[i])
			look_at(l, c, i);
	for (size_t i = 0; i < p->nr_rows; i++)
		if (p->rows[i].key.event == event && p->rows[i].key.stack &&
		    l->is_it[p->nodes[p->rows[i].key.stack].frame])
			c->self += p->rows[i].samples;
	c->all = l->samples[0];
	err = list(p, l->callers, &c->callers, &c->nr_callers);
	return err ? err : list(p, l->callees, &c->callees, &c->nr_callees);
}

int callers__new(struct callers **out, const struct profile *p, uint32_t event, const char *name)
{
	struct node_sums sums = {};
	struct looking l = {
		.p = p,
		.is_it = calloc(p->nr_frames + 1, sizeof(*l.is_it)),
		.callers = calloc(p->nr_frames + 1, sizeof(*l.callers)),
		.callees = calloc(p->nr_frames + 1, sizeof(*l.callees)),
	};
	struct callers *c = calloc(1, sizeof(*c));
	int err = c && l.is_it && l.callers && l.callees ? 0 : -ENOMEM;

	if (!err)
		err = node_sums__new(&sums, p, event, NULL);
	l.samples = sums.samples;
	if (!err)
		err = fill(c, &l, name, event);
	node_sums__free(&sums);
	free(l.is_it);
	free(l.callers);
	free(l.callees);
	if (err) {
		callers__free(c);
		c = NULL;
	}
	*out = c;
	return err;
}

void callers__free(struct callers *c)
{
	if (!c)
		return;
	free(c->callers);
	free(c->callees);
	free(c);
}
