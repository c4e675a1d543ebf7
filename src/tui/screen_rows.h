/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/screen_rows.h - rows of the view that is shown, whichever it is: a table of tasks or CPUs
 * (tui/view.h), of functions (tui/funcs.h), or stacks (tui/stack_page.h).
 *
 * screen__refill() of tui/screen.h is here, too. What returns int returns 0 or -ENOMEM.
 */
#ifndef PMUTRACE_TUI_SCREEN_ROWS_H
#define PMUTRACE_TUI_SCREEN_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "model/scope.h"
#include "tui/funcs.h"
#include "tui/screen_state.h"

/* Samples of the tasks that a table would show; valid until what is looked at changes. */
struct scope screen__scope(const struct screen *s);

/* Selects the row so many lines further down, or the nearest that there is. */
void screen__move(struct screen *s, long lines);
/* Whether a row is selected; tells the user if it is one that this interval does not have. */
bool screen__has_selected(struct screen *s);

/* Fills again after a filter has changed; selects another row if it leaves out the selected one. */
int screen__refilter(struct screen *s) must_check;
/* Selects the next row that contains s->search; @next: not the one that is selected now. */
int screen__search(struct screen *s, bool next) must_check;

/* Sorts tasks or CPUs by a column, an index into those shown; does nothing if there is none. */
int screen__sort_by(struct screen *s, size_t column) must_check;
int screen__sort_functions(struct screen *s, enum funcs_sort sort) must_check;
/* Sorts by the column @step to the right of the present one, or left of it if it is negative. */
int screen__sort_beside(struct screen *s, int step) must_check;
int screen__invert(struct screen *s) must_check;

#endif
