/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/view_tree.h - processes below their parents.
 *
 * Ancestors that have not run in the interval get rows too, if they are known, so that the children
 * of a shell or of make stay together. Siblings are sorted by the sums of their branches. A folded
 * branch is one line, with that sum.
 */
#ifndef PMUTRACE_TUI_VIEW_TREE_H
#define PMUTRACE_TUI_VIEW_TREE_H

#include <stdbool.h>

#include "base/array.h"
#include "model/live.h"
#include "model/processes.h"
#include "tui/view.h"

struct view_tree_how {
	/* Whether an ancestor that has not run gets a row. */
	bool (*wants)(const void *arg, const struct live_row *row);
	/* Sorts the sums of branches: siblings are shown in that order. */
	void (*sort)(const void *arg, struct live_rows *sums);
	const void *arg;
};

/*
 * Makes the view's lines, in the order of a tree, of its rows and of ancestors that wait, which it
 * adds to the rows. Each is below its nearest ancestor that is shown. Cycles of parents, which
 * reused pids can make, are cut. 0 or -ENOMEM.
 */
int view_tree__arrange(struct view *v, const struct processes *processes,
		       const struct view_tree_how *how) must_check;

#endif
