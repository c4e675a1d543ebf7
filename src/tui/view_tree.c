// SPDX-License-Identifier: BSD-2-Clause
/* Makes a tree of rows: finds parents, cuts cycles, adds branches up, lists the lines. */
#include "tui/view_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"

enum { ANCESTORS_MAX = 64 };
static const uint32_t none = UINT32_MAX;

/* A row's place in the tree; other rows by index, or `none`. */
struct relative {
	uint32_t parent, first_child, next;
	uint32_t nr_children;  /* those whose sums add_up() has not added to this one yet */
	uint32_t nr_below;     /* rows in its branch, without itself */
	uint32_t sum;	       /* index into the view's sums */
	bool is_met, is_clear; /* by cut_circles(): it has been visited; it leads to a root */
};

struct family {
	struct view *view;
	const struct processes *processes;
	const struct view_tree_how *how;
	struct idmap rows; /* pid -> row */
	struct relative *all;
	size_t nr, cap;
	uint32_t first_root;
};

static int add_relative(struct family *f, uint64_t pid)
{
	int err = array__grow(&f->all, &f->cap, f->nr + 1);

	if (!err)
		err = idmap__set(&f->rows, pid, f->nr);
	if (!err)
		f->all[f->nr++] =
			(struct relative){ .parent = none, .first_child = none, .next = none };
	return err;
}

static int add_waiting(struct family *f, const struct live_row *row)
{
	struct live_rows *rows = &f->view->rows;
	int err = array__grow(&rows->items, &rows->cap, rows->nr + 1);

	if (!err)
		err = add_relative(f, row->id);
	if (!err)
		rows->items[rows->nr++] = *row;
	return err;
}

/*
 * Finds the row of the nearest ancestor that has one, or adds it if one is wanted; *row: none if
 * there is no such ancestor. ANCESTORS_MAX ends cycles of parents.
 */
static int find_parent(struct family *f, uint32_t pid, uint32_t *row)
{
	const struct process *p = processes__find(f->processes, pid), *up;

	*row = none;
	for (int i = 0; p && p->parent && i < ANCESTORS_MAX; i++, p = up) {
		struct live_row waiting = { .id = p->parent,
					    .tgid = p->parent,
					    .is_waiting = true };

		if (p->parent != pid && idmap__get(&f->rows, p->parent, row))
			return 0;
		up = processes__find(f->processes, p->parent);
		if (!up || up->pid == pid)
			continue;
		memcpy(waiting.comm, up->comm, sizeof(waiting.comm));
		if (!f->how->wants(f->how->arg, &waiting))
			continue;
		*row = f->nr;
		return add_waiting(f, &waiting);
	}
	return 0;
}

/* Of all rows, also of those that this adds. */
static int find_parents(struct family *f)
{
	struct live_rows *rows = &f->view->rows;
	int err = 0;

	for (size_t i = 0; i < rows->nr && !err; i++)
		err = add_relative(f, rows->items[i].id);
	for (size_t i = 0; i < f->nr && !err; i++) {
		uint32_t parent = none;

		err = find_parent(f, rows->items[i].id, &parent);
		f->all[i].parent = parent;
	}
	return err;
}

/* A row that is its own ancestor, because a pid was reused, becomes a root. */
static void cut_circles(struct family *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		uint32_t at = i, last = none;

		while (at != none && !f->all[at].is_met) {
			f->all[at].is_met = true;
			last = at;
			at = f->all[at].parent;
		}
		/* It was visited on the way up from @i, not before: there is a cycle. */
		if (at != none && !f->all[at].is_clear)
			f->all[last].parent = none;
		for (at = i; at != none && !f->all[at].is_clear; at = f->all[at].parent)
			f->all[at].is_clear = true;
	}
}

static void add_to(struct live_row *sum, const struct live_row *part)
{
	for (size_t i = 0; i < LIVE_VALUES; i++)
		sum->values[i] += part->values[i];
	sum->nr_tasks += part->nr_tasks;
	sum->is_waiting &= part->is_waiting;
}

/* Adds each row's sum to its parent's, children first. @todo: scratch, room for all rows. */
static void add_up(struct family *f, uint32_t *todo)
{
	struct live_row *sums = f->view->sums.items;
	size_t nr = 0;

	for (size_t i = 0; i < f->nr; i++)
		if (f->all[i].parent != none)
			f->all[f->all[i].parent].nr_children++;
	for (size_t i = 0; i < f->nr; i++)
		if (!f->all[i].nr_children)
			todo[nr++] = i;
	while (nr) {
		const uint32_t child = todo[--nr], above = f->all[child].parent;

		if (above == none)
			continue;
		add_to(&sums[above], &sums[child]);
		f->all[above].nr_below += f->all[child].nr_below + 1;
		if (!--f->all[above].nr_children)
			todo[nr++] = above;
	}
}

static int sum_branches(struct family *f)
{
	struct live_rows *sums = &f->view->sums;
	uint32_t *todo = calloc(f->nr + 1, sizeof(*todo));
	int err = todo ? array__grow(&sums->items, &sums->cap, f->nr + 1) : -ENOMEM;

	sums->nr = err ? 0 : f->nr;
	if (!err) {
		if (f->nr)
			memcpy(sums->items, f->view->rows.items, f->nr * sizeof(*sums->items));
		add_up(f, todo);
	}
	free(todo);
	return err;
}

/*
 * Links siblings in the order of the sums. Goes backwards, because each one is put in front of
 * those linked so far.
 */
static void link_children(struct family *f)
{
	const struct live_rows *sums = &f->view->sums;

	f->first_root = none;
	for (size_t i = sums->nr; i--;) {
		uint32_t row = none, *first;

		if (!idmap__get(&f->rows, sums->items[i].id, &row))
			continue;
		first = f->all[row].parent == none ? &f->first_root
						   : &f->all[f->all[row].parent].first_child;
		f->all[row].sum = i;
		f->all[row].next = *first;
		*first = row;
	}
}

static bool is_folded(const struct family *f, uint32_t row)
{
	uint32_t folded = false;

	idmap__get(&f->view->folds, f->view->rows.items[row].id, &folded);
	return folded && f->all[row].nr_below;
}

static void show(struct family *f, uint32_t row, uint32_t depth, uint32_t rails)
{
	const struct relative *one = &f->all[row];
	struct view *v = f->view;

	if (depth >= VIEW_DEPTH)
		depth = VIEW_DEPTH - 1;
	if (depth > v->deepest)
		v->deepest = depth;
	v->lines[v->nr++] = (struct view_line){
		.row = row,
		.depth = depth,
		.rails = rails,
		.is_last = one->next == none || one->parent == none,
		.sum = one->sum,
		.nr_below = one->nr_below,
		.is_folded = is_folded(f, row),
	};
}

/* Not recursive, because the processes of the machine decide how deep it gets. */
static void show_all(struct family *f)
{
	uint32_t row = f->first_root, depth = 0, rails = 0;

	while (row != none) {
		const struct relative *one = &f->all[row];

		show(f, row, depth, rails);
		if (one->first_child != none && !is_folded(f, row)) {
			if (depth && depth < VIEW_DEPTH && one->next != none)
				rails |= 1u << depth;
			depth++;
			row = one->first_child;
			continue;
		}
		while (f->all[row].next == none && f->all[row].parent != none) {
			row = f->all[row].parent;
			depth--;
			if (depth < VIEW_DEPTH)
				rails &= ~(1u << depth);
		}
		row = f->all[row].next;
	}
}

int view_tree__arrange(struct view *v, const struct processes *processes,
		       const struct view_tree_how *how)
{
	struct family f = { .view = v, .processes = processes, .how = how };
	int err = find_parents(&f);

	if (!err)
		cut_circles(&f);
	if (!err)
		err = sum_branches(&f);
	if (!err)
		err = array__grow(&v->lines, &v->cap, f.nr + 1);
	v->nr = v->deepest = 0;
	if (!err) {
		how->sort(how->arg, &v->sums);
		link_children(&f);
		show_all(&f);
	}
	idmap__free(&f.rows);
	free(f.all);
	return err;
}
