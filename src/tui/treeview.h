/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/treeview.h - a tree of stacks to unfold and walk in: the lines that are to be seen.
 *
 *	- all			100.0 %
 *	  - burn		 71.4 %
 *	    + work		 71.4 %	  <- cursor
 *	  + bash		 28.6 %
 *
 * Callees stand below their caller, the largest first. What was unfolded and where the cursor is
 * is known by names: it stays when another interval's tree comes. A node that this one does not
 * have gives its cursor to the nearest caller that it has, and gets it back when it comes again.
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
	TREEVIEW_LEAF, /* nothing below it */
	TREEVIEW_FOLDED,
	TREEVIEW_UNFOLDED,
};

struct treeview_line {
	uint32_t node; /* of the tree: its samples, its frame */
	uint32_t depth;
	enum treeview_fold fold;
};

/* It has no lines before treeview__set(). NULL: no memory. */
struct treeview *treeview__new(void);
void treeview__free(struct treeview *v);

/*
 * Another tree. Both are borrowed until the next call, which may be with NULL and NULL: no lines.
 * 0 or -ENOMEM.
 */
int treeview__set(struct treeview *v, const struct profile *p, const struct tree *t) must_check;

/* From the top; the first one is the root, which is unfolded at first. Until the next change. */
const struct treeview_line *treeview__lines(const struct treeview *v, size_t *nr);
size_t treeview__cursor(const struct treeview *v); /* index of a line */

/* All of these do nothing without lines. 0 or -ENOMEM. */
int treeview__go(struct treeview *v, size_t line) must_check; /* beyond the last: there */
int treeview__move(struct treeview *v, long lines) must_check;
int treeview__show(struct treeview *v, uint32_t node) must_check; /* and unfolds what it is in */
int treeview__toggle(struct treeview *v) must_check;
int treeview__unfold(struct treeview *v) must_check; /* when it is: goes to the first below */
int treeview__fold(struct treeview *v) must_check;   /* when it is, or a leaf: goes to the caller */
int treeview__fold_all(struct treeview *v) must_check;
int treeview__unfold_below(struct treeview *v) must_check; /* the cursor's node, all of it */

/* From the cursor's node down the largest callees, as far as they have most of it; goes there. */
int treeview__unfold_hottest(struct treeview *v) must_check;

/*
 * Goes to the next node whose name has @text in it (ASCII letters: either case), folded or not,
 * and unfolds what it is in; behind the last the first comes. *found: there was one, maybe the
 * cursor's own. @here: the cursor's is looked at first, as while somebody types.
 */
int treeview__find(struct treeview *v, const char *text, bool here, bool *found) must_check;

#endif
