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
	STYLE_LABEL,	/* what a number beside it is */
	STYLE_TITLE,	/* of a table's column */
	STYLE_SORTED,	/* of the one that it is sorted by */
	STYLE_SELECTED, /* the row of the cursor */
	STYLE_TAGGED,
	STYLE_KEY, /* on the last line: what a key does */
	STYLE_LOW, /* bars, by how much */
	STYLE_HALF,
	STYLE_HIGH,
	STYLE_ALERT, /* something is lost or wrong */
	STYLE_BOX,   /* of a flame graph; every other one is odd, to tell neighbours apart */
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

/* Blank, of that size, without a cursor. 0, or -ENOMEM and the page is empty. */
int canvas__begin(struct canvas *c, int width, int height) must_check;
void canvas__free(struct canvas *c);

/*
 * Text at a place, cut to @max columns and the page. Characters that cannot be shown become '?',
 * those that take no room are left out. Returns the columns it took.
 */
int canvas__put(struct canvas *c, int x, int y, int max, enum style style, const char *text);
int canvas__printf(struct canvas *c, int x, int y, int max, enum style style, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

/* Ends at column @x + @width - 1; what is too long loses its beginning. */
void canvas__put_right(struct canvas *c, int x, int y, int width, enum style style,
		       const char *text);

/* Another style for what is there. */
void canvas__paint(struct canvas *c, int x, int y, int width, enum style style);

/* All lines, without trailing blanks, each ended. 0 or -ENOMEM. */
int canvas__text(const struct canvas *c, struct buf *out) must_check;

/* Columns that the text takes. */
int text__width(const char *text);

#endif
