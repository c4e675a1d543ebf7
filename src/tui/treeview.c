// SPDX-License-Identifier: BSD-2-Clause
/* Makes lines of a tree and its folds; moves, folds, unfolds and searches. */
#include "tui/treeview.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "model/treepath.h"

struct treeview {
	const struct profile *p;
	const struct tree *t; /* NULL: there is none */
	uint64_t *keys;	      /* of each node; treepath__keys() */
	uint32_t *order;      /* all nodes in the order of their lines */
	struct idmap folds;   /* key -> whether it is unfolded; default: only the root is */
	struct treeview_line *lines;
	size_t nr_lines, cap_lines;
	struct treepath at;
	size_t cursor;
};

struct treeview *treeview__new(void)
{
	return calloc(1, sizeof(struct treeview));
}

void treeview__free(struct treeview *v)
{
	if (!v)
		return;
	free(v->keys);
	free(v->order);
	free(v->lines);
	idmap__free(&v->folds);
	treepath__free(&v->at);
	free(v);
}

static const struct tree_node *node(const struct treeview *v, uint32_t i)
{
	return &v->t->nodes[i];
}

/* By total, smallest first; ties by name, backwards. */
static int compare_backwards(const void *a, const void *b, void *tree)
{
	const struct tree *t = tree;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (t->nodes[x].total != t->nodes[y].total)
		return t->nodes[x].total < t->nodes[y].total ? -1 : 1;
	return (x < y) - (x > y);
}

/* The nodes in preorder, but of siblings the largest first. To be freed; NULL: no memory. */
static uint32_t *order_of(const struct tree *t)
{
	uint32_t *order = malloc(t->nr * sizeof(*order)), *todo = malloc(t->nr * sizeof(*todo));
	size_t nr = 0, nr_todo = 0;

	if (order && todo)
		todo[nr_todo++] = 0;
	while (nr_todo) {
		uint32_t at = todo[--nr_todo];
		size_t first = nr_todo;

		order[nr++] = at;
		for (uint32_t n = at + 1; n < t->nodes[at].end; n = t->nodes[n].end)
			todo[nr_todo++] = n;
		qsort_r(todo + first, nr_todo - first, sizeof(*todo), compare_backwards, (void *)t);
	}
	free(todo);
	if (!nr) {
		free(order);
		order = NULL;
	}
	return order;
}

static bool is_leaf(const struct treeview *v, uint32_t n)
{
	return node(v, n)->end == n + 1;
}

static bool is_unfolded(const struct treeview *v, uint32_t n)
{
	uint32_t unfolded = n == 0;

	idmap__get(&v->folds, v->keys[n], &unfolded);
	return unfolded;
}

static int set_unfolded(struct treeview *v, uint32_t n, bool unfolded)
{
	return is_unfolded(v, n) == unfolded ? 0 : idmap__set(&v->folds, v->keys[n], unfolded);
}

static bool is_below(const struct treeview *v, uint32_t n, uint32_t above)
{
	return n > above && n < node(v, above)->end;
}

/* Lists the lines that are not folded away; the cursor's is that of its node, or of a caller. */
static int make_lines(struct treeview *v)
{
	uint32_t at = v->t ? treepath__find(&v->at, v->t, v->keys) : 0;
	size_t nr = v->t ? v->t->nr : 0;

	v->nr_lines = v->cursor = 0;
	for (size_t i = 0; i < nr;) {
		uint32_t n = v->order[i];
		struct treeview_line *line;
		int err = array__grow(&v->lines, &v->cap_lines, v->nr_lines + 1);

		if (err) {
			v->nr_lines = v->cursor = 0;
			return err;
		}
		if (n == at || is_below(v, at, n))
			v->cursor = v->nr_lines;
		line = &v->lines[v->nr_lines++];
		*line = (struct treeview_line){ n, node(v, n)->depth, TREEVIEW_LEAF };
		if (!is_leaf(v, n))
			line->fold = is_unfolded(v, n) ? TREEVIEW_UNFOLDED : TREEVIEW_FOLDED;
		i += line->fold == TREEVIEW_FOLDED ? node(v, n)->end - n : 1;
	}
	return 0;
}

int treeview__set(struct treeview *v, const struct profile *p, const struct tree *t)
{
	free(v->keys);
	free(v->order);
	v->keys = t ? treepath__keys(t, p) : NULL;
	v->order = t ? order_of(t) : NULL;
	v->p = p;
	v->t = v->keys && v->order ? t : NULL;
	if (t && !v->t) {
		v->nr_lines = v->cursor = 0;
		return -ENOMEM;
	}
	return make_lines(v);
}

const struct treeview_line *treeview__lines(const struct treeview *v, size_t *nr)
{
	*nr = v->nr_lines;
	return v->lines;
}

size_t treeview__cursor(const struct treeview *v)
{
	return v->cursor;
}

int treeview__go(struct treeview *v, size_t line)
{
	if (!v->nr_lines)
		return 0;
	v->cursor = line < v->nr_lines ? line : v->nr_lines - 1;
	return treepath__set(&v->at, v->t, v->keys, v->lines[v->cursor].node);
}

int treeview__move(struct treeview *v, long lines)
{
	if (lines < 0 && v->cursor < -(size_t)lines)
		return treeview__go(v, 0);
	return treeview__go(v, v->cursor + lines);
}

/* Folds or unfolds the cursor's line; the cursor stays on it. */
static int refold(struct treeview *v, bool unfolded)
{
	int err = set_unfolded(v, v->lines[v->cursor].node, unfolded);

	if (!err)
		err = treeview__go(v, v->cursor);
	return err ? err : make_lines(v);
}

int treeview__toggle(struct treeview *v)
{
	enum treeview_fold fold = v->nr_lines ? v->lines[v->cursor].fold : TREEVIEW_LEAF;

	return fold == TREEVIEW_LEAF ? 0 : refold(v, fold == TREEVIEW_FOLDED);
}

int treeview__unfold(struct treeview *v)
{
	enum treeview_fold fold = v->nr_lines ? v->lines[v->cursor].fold : TREEVIEW_LEAF;

	if (fold == TREEVIEW_LEAF)
		return 0;
	return fold == TREEVIEW_FOLDED ? refold(v, true) : treeview__move(v, 1);
}

int treeview__fold(struct treeview *v)
{
	size_t line = v->cursor;

	if (!v->nr_lines)
		return 0;
	if (v->lines[line].fold == TREEVIEW_UNFOLDED)
		return refold(v, false);
	while (line && v->lines[line].depth >= v->lines[v->cursor].depth)
		line--;
	return treeview__go(v, line);
}

int treeview__fold_all(struct treeview *v)
{
	int err = treeview__go(v, v->cursor);

	idmap__clear(&v->folds);
	return err ? err : make_lines(v);
}

int treeview__unfold_below(struct treeview *v)
{
	uint32_t n = v->nr_lines ? v->lines[v->cursor].node : 0;
	uint32_t end = v->nr_lines ? node(v, n)->end : 0;
	int err = 0;

	for (; n < end && !err; n++)
		if (!is_leaf(v, n))
			err = set_unfolded(v, n, true);
	return err ? err : make_lines(v);
}

/* The callee with the most samples, if that is more than half of them; else 0. */
static uint32_t hottest_of(const struct treeview *v, uint32_t n)
{
	for (uint32_t c = n + 1; c < node(v, n)->end; c = node(v, c)->end)
		if (node(v, c)->total > node(v, n)->total / 2)
			return c;
	return 0;
}

int treeview__show(struct treeview *v, uint32_t n)
{
	int err;

	if (!v->nr_lines)
		return 0;
	err = treepath__set(&v->at, v->t, v->keys, n);
	while (n && !err) {
		n = node(v, n)->parent;
		err = set_unfolded(v, n, true);
	}
	return err ? err : make_lines(v);
}

int treeview__unfold_hottest(struct treeview *v)
{
	uint32_t n, hotter;
	int err;

	if (!v->nr_lines)
		return 0;
	n = v->lines[v->cursor].node;
	while ((hotter = hottest_of(v, n)))
		n = hotter;
	/* No callee has more than half: those that share the samples are shown. */
	err = is_leaf(v, n) ? 0 : set_unfolded(v, n, true);
	return err ? err : treeview__show(v, n);
}

int treeview__find(struct treeview *v, const char *text, bool here, bool *found)
{
	size_t nr = v->nr_lines ? v->t->nr : 0, at = 0;

	*found = false;
	while (at < nr && v->order[at] != v->lines[v->cursor].node)
		at++;
	for (size_t i = 0; i < nr; i++) {
		uint32_t n = v->order[(at + i + !here) % nr];

		if (!strcasestr(tree__name(v->t, v->p, n), text))
			continue;
		*found = true;
		return treeview__show(v, n);
	}
	return 0;
}
