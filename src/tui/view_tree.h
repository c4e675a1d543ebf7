/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/view_tree.h - processes below their parents.
 *
 * Ancestors that have used nothing are rows too, as far as they are known: what waits for its
 * children (make, a shell) holds them together. Siblings stand in the order of the sums of their
 * branches. A branch that is folded is one line, which has its sum.
 */
#ifndef PMUTRACE_TUI_VIEW_TREE_H
#define PMUTRACE_TUI_VIEW_TREE_H

#include <stdbool.h>

#include "base/array.h"
#include "model/live.h"
#include "model/processes.h"
#include "tui/view.h"

struct view_tree_how {
	/* Whether an ancestor that has used nothing is to have a row. */
	bool (*wants)(const void *arg, const struct live_row *row);
	/* The order of siblings, by their sums. */
	void (*sort)(const void *arg, struct live_rows *sums);
	const void *arg;
};

/*
 * Makes the view's lines, in the order of a tree, of all its rows and of ancestors that wait: each
 * is below the nearest ancestor that is shown. Cycles of parents are cut. 0 or -ENOMEM.
 */
int view_tree__arrange(struct view *v, const struct processes *processes,
		       const struct view_tree_how *how) must_check;

#endif
