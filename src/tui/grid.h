/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/grid.h - a view as a table on the page: titles, and as many rows as there is room for.
 *
 * The selected row is always among them. If columns do not fit, the titles end with how many; they
 * are reached by scrolling sideways, where ids and names stay.
 */
#ifndef PMUTRACE_TUI_GRID_H
#define PMUTRACE_TUI_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/canvas.h"
#include "tui/view.h"

enum { GRID_COLUMNS = 64 };

/* Zero-initialise it. What was drawn last is remembered for the mouse. */
struct grid {
	size_t first;	     /* line of the view that is on top */
	size_t first_column; /* the leftmost one that is shown */
	int y, height;	     /* of titles and rows */
	struct grid_place {
		int x, width;
		size_t column;
	} places[GRID_COLUMNS]; /* where columns are shown: at least one, even if it does not fit */
	size_t nr_places, nr_hidden;
};

/* Draws the rows as they are in the view now. @height: lines, those of the titles included. */
void grid__draw(struct grid *g, const struct view *v, const struct view_data *d, struct canvas *c,
		int y, int height);

/*
 * Draws a line that says which columns have no values, and why: the first reason, and the columns
 * it holds for; the help has all. Returns the lines it took: 0 if all columns have values, or 1.
 */
int grid__draw_absent(const struct view_data *d, struct canvas *c, int y);

/* How many rows fit on the page, at least 1. */
size_t grid__page(const struct grid *g);

enum grid_hit { GRID_NOTHING, GRID_ROW, GRID_TITLE };
/* What is at @x and @y: *index is the line of the view, or the column. */
enum grid_hit grid__hit(const struct grid *g, const struct view *v, int x, int y, size_t *index);

#endif
