// SPDX-License-Identifier: BSD-2-Clause
/* Gives late frames their names, and joins what is equal then, in the tables where it is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile_index.h"

/* A frame of the name that a late one has by now, which becomes *id. */
static int settle_frame(struct profile *p, const char *name, uint32_t *id)
{
	struct frame f = p->frames[*id];
	enum profile_seal sealed = p->sealed;
	int err = 0;

	f.late = 0;
	if (name)
		err = profile__string(p, name, strlen(name), &f.name);
	if (err && err != -ENOSPC)
		return err;
	err = err ? err : profile__frame(p, &f, id);
	if (err != -ENOSPC)
		return err;
	/* Without a new name it is one for each mapping: there is room for these. */
	f.name = p->frames[*id].name;
	p->sealed = PROFILE_OPEN;
	err = profile__frame(p, &f, id);
	p->sealed = sealed;
	return err;
}

/* Takes late frames out of the table; @ids, what each frame has become, are changed to new ids. */
static int drop_late_frames(struct profile *p, uint32_t *ids, size_t nr_ids)
{
	struct profile_index *x = p->index;
	uint32_t *moved = calloc(p->nr_frames, sizeof(*moved)), nr = 0;

	if (!moved)
		return -ENOMEM;
	idmap__clear(&x->frames);
	for (size_t i = 0; i < p->nr_frames; i++) {
		uint64_t h = profile_index__frame_hash(&p->frames[i]);

		if (p->frames[i].late)
			continue;
		x->next_frame[nr] = NONE;
		(void)idmap__get(&x->frames, h, &x->next_frame[nr]);
		if (idmap__set(&x->frames, h, nr)) /* it has had more entries */
			break;
		p->frames[nr] = p->frames[i];
		moved[i] = nr++;
	}
	p->nr_frames = nr;
	for (size_t i = 0; i < nr_ids; i++)
		ids[i] = moved[ids[i]];
	free(moved);
	return 0;
}

/* Nodes of equal frames become one, the first; a parent stays before its children. */
static void join_nodes(struct profile *p, const uint32_t *frames, uint32_t *nodes)
{
	const size_t nr = p->nr_nodes;

	trie__clear(&p->index->nodes);
	p->nr_nodes = p->index->nr_nodes = 1;
	for (size_t i = 1; i < nr; i++) {
		const struct stack_node old = p->nodes[i];

		/* No more nodes than there were: there is memory for them. */
		if (profile__child(p, nodes[old.parent], frames[old.frame], &nodes[i]))
			break;
	}
}

/* The same of rows: @rows. @values: room for those of one. */
static void join_rows(struct profile *p, const uint32_t *nodes, uint32_t *rows,
		      struct profile_value *values)
{
	const size_t nr = p->nr_rows, width = p->nr_metrics;

	idmap__clear(&p->index->rows);
	p->nr_rows = p->index->nr_rows = 0;
	for (size_t i = 0; i < nr; i++) {
		struct row row = p->rows[i];

		if (width)
			memcpy(values, p->values + i * width, width * sizeof(*values));
		row.key.stack = nodes[row.key.stack];
		if (profile_index__add(p, &row, width ? values : NULL, &rows[i]))
			break;
	}
}

int profile__settle(struct profile *p, const char *(*name_of)(void *arg, uint32_t late), void *arg)
{
	const size_t nr = p->nr_frames;
	const enum profile_seal sealed = p->sealed;
	uint32_t *frames = calloc(nr + 1, sizeof(*frames));
	uint32_t *nodes = calloc(p->nr_nodes, sizeof(*nodes));
	uint32_t *rows = calloc(p->nr_rows + 1, sizeof(*rows));
	struct profile_value *values = calloc(p->nr_metrics + 1, sizeof(*values));
	int err = frames && nodes && rows && values ? 0 : -ENOMEM;
	bool is_late = false;

	for (uint32_t i = 0; i < nr && !err; i++) {
		const uint32_t late = p->frames[i].late;

		frames[i] = i;
		is_late |= late;
		if (late)
			err = settle_frame(p, name_of(arg, late), &frames[i]);
	}
	if (!err && is_late)
		err = profile_index__all_nodes(p);
	if (!err && is_late)
		err = profile_index__all_rows(p);
	if (!err && is_late)
		err = trie__reserve(&p->index->nodes);
	if (!err && is_late)
		err = drop_late_frames(p, frames, nr);
	if (!err && is_late) {
		p->sealed = PROFILE_OPEN;
		join_nodes(p, frames, nodes);
		join_rows(p, nodes, rows, values);
		windows__renumber(&p->windows, rows);
		profile_index__renumber_exemplars(p, rows);
		p->sealed = sealed;
	}
	free(frames);
	free(nodes);
	free(rows);
	free(values);
	return err;
}
