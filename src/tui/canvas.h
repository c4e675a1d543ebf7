/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/canvas.h - a page of characters with styles: what a screen shows, on whatever terminal.
 *
 * Text is cut at the page's edges by the columns that it takes, so that nothing shifts whatever
 * names processes have. Does not know: terminals, colours.
 */
#ifndef PMUTRACE_TUI_CANVAS_H
#define PMUTRACE_TUI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

enum style {
	STYLE_PLAIN,
	STYLE_DIM,
	STYLE_STRONG,
	STYLE_LABEL,	/* the name in front of a value: "Events", "IPC" */
	STYLE_TITLE,	/* a column's title */
	STYLE_SORTED,	/* the title of the column that the table is sorted by */
	STYLE_SELECTED, /* the selected row */
	STYLE_TAGGED,
	STYLE_KEY,   /* on the last line: what a key does */
	STYLE_LOW,   /* bars: up to half full */
	STYLE_HALF,  /* bars: fuller; also for what is known only in part */
	STYLE_HIGH,  /* bars: nearly full */
	STYLE_ALERT, /* something is lost or wrong */
	STYLE_BOX, /* a box of a flame graph; every other one of a row is odd, to tell them apart */
	STYLE_BOX_ODD,
	STYLE_BOX_USER,
	STYLE_BOX_USER_ODD,
	STYLE_BOX_KERNEL,
	STYLE_BOX_KERNEL_ODD,
	STYLES,
};

struct canvas_cell {
	uint32_t character; /* 0: the right half of the one before */
	uint8_t style;
};

/* Zero-initialise it; canvas__free() gives the memory back. */
struct canvas {
	int width, height; /* columns, lines */
	bool is_ascii;	   /* the terminal shows nothing else: others become '?' */
	int cursor_x, cursor_y;
	bool shows_cursor;
	struct canvas_cell *cells;
	size_t cap;
};

/* Makes it a blank page of that size, without a cursor. 0; -ENOMEM: its size is 0. */
int canvas__begin(struct canvas *c, int width, int height) must_check;
void canvas__free(struct canvas *c);

/*
 * Puts text at column @x of line @y, cut to @max columns and at the page's edge. Characters that
 * cannot be shown become '?', those of width 0 are left out. Returns the columns that it takes.
 */
int canvas__put(struct canvas *c, int x, int y, int max, enum style style, const char *text);
int canvas__printf(struct canvas *c, int x, int y, int max, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

/* Puts text so that it ends at column @x + @width - 1; if it is too long its beginning is cut. */
void canvas__put_right(struct canvas *c, int x, int y, int width, enum style style,
		       const char *text);

/* Changes the style of @width cells; the characters stay. */
void canvas__paint(struct canvas *c, int x, int y, int width, enum style style);

/* Appends all lines, without trailing blanks and with a newline each. 0 or -ENOMEM. */
int canvas__text(const struct canvas *c, struct buf *out) must_check;

/* The same of a page as large as @like that @draw draws. 0 or -ENOMEM. */
int canvas__text_of(const struct canvas *like, int (*draw)(void *arg, struct canvas *page),
		    void *arg, struct buf *out) must_check;

/*
 * Which of @nr lines is the first on a page of @page lines that shows line @at, if @first was so
 * far: it moves no further than it has to, and no line stays empty that could show one.
 */
size_t canvas__scroll(size_t first, size_t at, size_t page, size_t nr);

/* How many columns the text takes. */
int text__width(const char *text);

#endif
