/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/text_grid.h - texts in columns: every table for people but that of stat, which has perf's
 * shape, is laid out here.
 *
 *	struct text_grid g = { .width = 80, .is_cut = true };
 *
 *	text_grid__column(&g, &(struct text_grid_column){}, "COMM");
 *	text_grid__column(&g, &(struct text_grid_column){ .is_number = true }, "HITS");
 *	text_grid__cell(&g, name);
 *	text_grid__printf(&g, "%u", hits);
 *	text_grid__end_line(&g);
 *	err = text_grid__lay_out(&g);
 *	if (!err) {
 *		text_grid__put_headings(&g, w);
 *		text_grid__put_line(&g, w, 0);
 *	}
 *	text_grid__free(&g);
 *
 * All columns come first, then the cells of each line from left to right. A column is as wide as
 * its heading and its cells; no line ends in blanks. Texts are copied. After an error the rest is
 * dropped; text_grid__lay_out() tells it.
 */
#ifndef PMUTRACE_PRINT_TEXT_GRID_H
#define PMUTRACE_PRINT_TEXT_GRID_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"
#include "print/writer.h"

/* Zero is a column of texts, to the left. Widths are in columns of a terminal. */
struct text_grid_column {
	bool is_number;	   /* to the right, and never cut */
	bool is_near;	   /* one blank before it instead of two */
	bool is_optional;  /* not there if all its cells are empty */
	const char *group; /* headline over neighbours that have this very text; NULL: none */
	size_t at_least;   /* its width */
	size_t at_most;	   /* to which its cells are cut on a terminal; 0: no limit */
	size_t pads_to;	   /* else no wider: a cell that is moves its own line only; 0: no limit */
	/* Set by the grid: */
	size_t width, floor;	  /* 0: not there; floor: not narrowed below it to fit a terminal */
	size_t heading, headline; /* offsets into the grid's texts */
};

struct text_grid_cell {
	size_t at;	   /* offset into the grid's texts */
	const char *mark;  /* behind the text, never cut; NULL: none */
	const char *color; /* ANSI attribute; NULL: none */
	bool is_wrapped;   /* at the terminal's width; in a last column */
};

struct text_grid {
	/* Set by the caller; the rest is zero. */
	unsigned width;	 /* columns of the terminal; 0: not one */
	unsigned indent; /* blanks before each line */
	bool color;	 /* ANSI attributes */
	/*
	 * Cells are cut: on a terminal so that lines fit it, where @pads_to has no effect; else to
	 * CELL_LONG. Numbers never are, their headings may be.
	 */
	bool is_cut;
	/* What replaces characters in cells: escape__plain() if NULL. */
	int (*escape)(struct buf *b, const char *s);

	struct text_grid_column *columns;
	size_t nr_columns, cap_columns;
	struct text_grid_cell *cells; /* line by line */
	size_t nr_cells, cap_cells;
	struct buf texts; /* each ends in a NUL */
	struct buf raw;	  /* a cell before its text is made safe */
	int err;	  /* the first -errno */
};

/* @heading: safe for a terminal; the group's text is made so. */
void text_grid__column(struct text_grid *g, const struct text_grid_column *column,
		       const char *heading);

/* The next cell of the line; what could drive a terminal is replaced. */
void text_grid__cell(struct text_grid *g, const char *s);
void text_grid__printf(struct text_grid *g, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void text_grid__vprintf(struct text_grid *g, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* What else is said of the cell that was put last. The texts are borrowed. */
void text_grid__mark(struct text_grid *g, const char *mark);
void text_grid__color(struct text_grid *g, const char *color);
void text_grid__wrap(struct text_grid *g);

/* Cells that the line has not got stay empty. */
void text_grid__end_line(struct text_grid *g);

/* Chooses the widths. 0, or the first error: -ENOMEM. */
int text_grid__lay_out(struct text_grid *g) must_check;

size_t text_grid__nr_lines(const struct text_grid *g);
void text_grid__put_headings(const struct text_grid *g, struct writer *w);
void text_grid__put_line(const struct text_grid *g, struct writer *w, size_t line);

/* Leaves it without columns and lines, and with what the caller set. */
void text_grid__free(struct text_grid *g);

#endif
