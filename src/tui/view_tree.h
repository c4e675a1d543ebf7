/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/view_tree.h - processes below their parents.
 */
#ifndef PMUTRACE_TUI_VIEW_TREE_H
#define PMUTRACE_TUI_VIEW_TREE_H

#include "base/array.h"
#include "model/processes.h"
#include "tui/view.h"

/*
 * The view's lines in the order of a tree, all of them: each below the nearest ancestor that is
 * shown, children in the order of the rows. 0 or -ENOMEM.
 */
int view_tree__arrange(struct view *v, const struct processes *processes) must_check;

#endif
