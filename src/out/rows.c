// SPDX-License-Identifier: BSD-2-Clause
#include "out/rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/profile.h"

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* By everything but the event. */
static int compare_keys(const struct row_key *a, const struct row_key *b)
{
	int diff = order(a->stack, b->stack);

	if (!diff)
		diff = order(a->pid, b->pid);
	if (!diff)
		diff = order(a->tid, b->tid);
	if (!diff)
		diff = order(a->cpu, b->cpu);
	return diff ? diff : order(a->cgroup, b->cgroup);
}

static int compare_rows(const void *a, const void *b, void *profile)
{
	const struct profile *p = profile;
	const struct row_key *x = &p->rows[*(const uint32_t *)a].key;
	const struct row_key *y = &p->rows[*(const uint32_t *)b].key;
	int diff = compare_keys(x, y);

	return diff ? diff : order(x->event, y->event);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int diff = order(y->samples, x->samples);

	return diff ? diff : order(x->first, y->first);
}

int rows__group(struct rows *r, const struct profile *p)
{
	size_t i;

	*r = (struct rows){
		.order = calloc(p->nr_rows + 1, sizeof(*r->order)),
		.lines = calloc(p->nr_rows + 1, sizeof(*r->lines)),
	};
	if (!r->order || !r->lines)
		return -ENOMEM;
	for (i = 0; i < p->nr_rows; i++)
		r->order[i] = i;
	qsort_r(r->order, p->nr_rows, sizeof(*r->order), compare_rows, (void *)p);
	for (i = 0; i < p->nr_rows; i++) {
		const struct row *row = &p->rows[r->order[i]];
		bool same = i && !compare_keys(&p->rows[r->order[i - 1]].key, &row->key);

		if (!same)
			r->lines[r->nr++].first = i;
		r->lines[r->nr - 1].nr++;
		r->lines[r->nr - 1].samples += row->samples;
	}
	qsort(r->lines, r->nr, sizeof(*r->lines), compare_lines);
	return 0;
}

void rows__free(struct rows *r)
{
	free(r->order);
	free(r->lines);
	*r = (struct rows){};
}

int row_stack__get(struct row_stack *s, const struct profile *p, uint32_t node)
{
	size_t depth = profile__stack(p, node, NULL, 0);
	int err = array__grow(&s->frames, &s->cap, depth);

	s->nr = 0;
	s->comm = "";
	if (err || !depth)
		return err;
	profile__stack(p, node, s->frames, depth);
	s->comm = profile__name(p, s->frames[0]);
	for (; s->nr < depth - 1; s->nr++)
		s->frames[s->nr] = s->frames[s->nr + 1];
	return 0;
}

void row_stack__free(struct row_stack *s)
{
	free(s->frames);
	*s = (struct row_stack){};
}
