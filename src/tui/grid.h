/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/grid.h - a view as a table on the page: titles, and as many rows as there is room for.
 *
 * The selected row is always among them. How many columns have no room at the right is told in the
 * titles; they come by moving the columns, while ids and names stay.
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
	size_t first;	     /* line of the view on top */
	size_t first_column; /* of the view's columns that is shown */
	int y, height;	     /* titles and rows */
	struct grid_place {
		int x, width;
		size_t column;
	} places[GRID_COLUMNS]; /* of the columns shown: at least one, even without room */
	size_t nr_places, nr_hidden;
};

/* Rows are as they are in the view: draw after each change. @height: lines with the titles. */
void grid__draw(struct grid *g, const struct view *v, const struct view_data *d, struct canvas *c,
		int y, int height);

/*
 * A line above the table: which columns have no value in this interval, and why (of several reasons
 * the first; all are in the help). Returns how many lines it took: 0 if all have a value, or 1.
 */
int grid__draw_absent(const struct view_data *d, struct canvas *c, int y);

/* Rows that fit, at least 1. */
size_t grid__page(const struct grid *g);

enum grid_hit { GRID_NOTHING, GRID_ROW, GRID_TITLE };
/* What is at @x and @y: *index is the line of the view, or the column. */
enum grid_hit grid__hit(const struct grid *g, const struct view *v, int x, int y, size_t *index);

#endif
