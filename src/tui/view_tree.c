// SPDX-License-Identifier: BSD-2-Clause
#include "tui/view_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "base/idmap.h"

enum { ANCESTORS_MAX = 64 };
static const uint32_t none = UINT32_MAX;

/* By row: its relatives, as rows. */
struct relative {
	uint32_t parent, first_child, next;
	bool is_shown;
};

/* The row of the nearest ancestor that has one. Parents that go round in circles end somewhere. */
static uint32_t find_parent(const struct processes *processes, const struct idmap *rows,
			    uint32_t pid)
{
	const struct process *p = processes__find(processes, pid);
	uint32_t row;

	for (int i = 0; p && p->parent && i < ANCESTORS_MAX; i++) {
		if (p->parent != pid && idmap__get(rows, p->parent, &row))
			return row;
		p = processes__find(processes, p->parent);
	}
	return none;
}

/* Backwards, so that each comes before those that are children already. */
static int relate(struct view *v, const struct processes *processes, struct relative *all)
{
	struct idmap rows = {};
	int err = 0;

	for (size_t i = 0; i < v->rows.nr && !err; i++) {
		all[i] = (struct relative){ none, none, none, false };
		err = idmap__set(&rows, v->rows.items[i].id, i);
	}
	for (size_t i = v->rows.nr; i-- && !err;) {
		uint32_t parent = find_parent(processes, &rows, v->rows.items[i].id);

		all[i].parent = parent;
		if (parent == none)
			continue;
		all[i].next = all[parent].first_child;
		all[parent].first_child = i;
	}
	idmap__free(&rows);
	return err;
}

/* The next one from @row on that is not there yet; only one of a circle can be. */
static uint32_t not_shown(const struct relative *all, uint32_t row)
{
	while (row != none && all[row].is_shown)
		row = all[row].next;
	return row;
}

static void show(struct view *v, struct relative *all, uint32_t row, uint32_t depth, uint32_t rails)
{
	bool is_last = not_shown(all, all[row].next) == none;

	all[row].is_shown = true;
	v->lines[v->nr++] = (struct view_line){
		.row = row,
		.depth = depth < VIEW_DEPTH ? depth : VIEW_DEPTH - 1,
		.rails = rails,
		.is_last = is_last,
	};
}

/* A root and all below it, without recursion: how deep it is somebody else has decided. */
static void show_all(struct view *v, struct relative *all, uint32_t root)
{
	uint32_t row = root, depth = 0, rails = 0;

	show(v, all, row, depth, rails);
	for (;;) {
		uint32_t next = not_shown(all, all[row].first_child);

		if (next != none) {
			if (depth && depth < VIEW_DEPTH && not_shown(all, all[row].next) != none)
				rails |= 1u << depth;
			depth++;
		} else {
			while (row != root && not_shown(all, all[row].next) == none) {
				row = all[row].parent;
				depth--;
				if (depth < VIEW_DEPTH)
					rails &= ~(1u << depth);
			}
			if (row == root)
				return;
			next = not_shown(all, all[row].next);
		}
		row = next;
		show(v, all, row, depth, rails);
	}
}

int view_tree__arrange(struct view *v, const struct processes *processes)
{
	struct relative *all = calloc(v->rows.nr + 1, sizeof(*all));
	int err = all ? relate(v, processes, all) : -ENOMEM;

	if (!err)
		v->nr = 0;
	for (size_t i = 0; !err && i < v->rows.nr; i++)
		if (all[i].parent == none)
			show_all(v, all, i);
	/* What is its own ancestor, by a pid that was used again, is a root too. */
	for (size_t i = 0; !err && i < v->rows.nr; i++)
		if (!all[i].is_shown)
			show_all(v, all, i);
	free(all);
	return err;
}
