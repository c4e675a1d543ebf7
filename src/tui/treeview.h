/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/treeview.h - a tree of stacks whose branches fold: which lines it has, and the cursor.
 *
 *	- all			100.0 %
 *	  - burn		 71.4 %
 *	    + work		 71.4 %	  <- cursor
 *	  + bash		 28.6 %
 *
 * Callees stand below their caller, the largest first. Unfolded nodes and the cursor are kept by
 * the names on their paths (model/treepath.h), so they stay from one interval's tree to the next.
 * If a tree lacks the cursor's node, the cursor is on the nearest caller that it has, until a tree
 * has the node again.
 *
 * Knows: struct tree. Does not know: keys, colours, how many lines a screen has.
 */
#ifndef PMUTRACE_TUI_TREEVIEW_H
#define PMUTRACE_TUI_TREEVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/profile.h"
#include "model/tree.h"

struct treeview;

enum treeview_fold {
	TREEVIEW_LEAF, /* it has no callees */
	TREEVIEW_FOLDED,
	TREEVIEW_UNFOLDED,
};

struct treeview_line {
	uint32_t node; /* index into the tree's nodes */
	uint32_t depth;
	enum treeview_fold fold;
};

/* It has no lines before treeview__set(). NULL: no memory. */
struct treeview *treeview__new(void);
void treeview__free(struct treeview *v);

/*
 * Shows another tree, of that profile; NULL and NULL: no lines. Both are borrowed until the next
 * call. 0 or -ENOMEM.
 */
int treeview__set(struct treeview *v, const struct profile *p, const struct tree *t) must_check;

/* All lines, from the root, which is unfolded at first. Valid until the next change. */
const struct treeview_line *treeview__lines(const struct treeview *v, size_t *nr);
size_t treeview__cursor(const struct treeview *v); /* index of a line */

/* All of these do nothing without lines. 0 or -ENOMEM. */
int treeview__go(struct treeview *v, size_t line) must_check; /* beyond the last: to that one */
int treeview__move(struct treeview *v, long lines) must_check;
int treeview__show(struct treeview *v, uint32_t node) must_check; /* unfolds its callers */
int treeview__toggle(struct treeview *v) must_check;
int treeview__unfold(struct treeview *v) must_check; /* already unfolded: to its first callee */
int treeview__fold(struct treeview *v) must_check;   /* folded or a leaf: to its caller */
int treeview__fold_all(struct treeview *v) must_check;
int treeview__unfold_below(struct treeview *v) must_check; /* the cursor's node and all below */

/*
 * Goes from the cursor's node to its largest callee, and on, as long as that has more than half of
 * its caller's samples; unfolds the node it ends at.
 */
int treeview__unfold_hottest(struct treeview *v) must_check;

/*
 * Goes to the next node whose name contains @text (ASCII case ignored), folded or not, and unfolds
 * its callers; after the last node the search goes on at the first. *found: there was one, maybe
 * the cursor's own. @here: the search begins with the cursor's node, else behind it.
 */
int treeview__find(struct treeview *v, const char *text, bool here, bool *found) must_check;

#endif
