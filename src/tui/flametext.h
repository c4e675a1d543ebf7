/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/flametext.h - a flame graph of characters: boxes in rows and columns.
 *
 *	all
 *	burn                                              bash
 *	work                                              …
 *	burn_30        burn_70
 *
 * A box is as wide as its share of the samples, to the nearest column; boxes of one row do not
 * overlap, and lie within their callers'. Siblings stand by name, so they keep their places from
 * one interval to the next. Callees too small for a column of their own share boxes.
 *
 * The node that is zoomed to gets the whole width. Its callers are shown too, as wide as itself:
 * zooming to one of them leads back out.
 *
 * The cursor and the zoomed node are kept by the names on their paths, as in tui/treeview.h.
 *
 * Knows: struct tree, how wide characters are. Does not know: colours, keys.
 */
#ifndef PMUTRACE_TUI_FLAMETEXT_H
#define PMUTRACE_TUI_FLAMETEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/profile.h"
#include "model/tree.h"

struct flametext;

struct flametext_area {
	uint32_t width, height; /* columns and rows */
	bool flame;		/* the root is at the bottom; else at the top (icicle graph) */
};

enum flametext_color {
	FLAMETEXT_ROOT,
	FLAMETEXT_COMM,
	FLAMETEXT_USER,
	FLAMETEXT_KERNEL,
	FLAMETEXT_JIT,
	FLAMETEXT_NOTE,
	FLAMETEXT_INLINED,
	FLAMETEXT_MERGED, /* several siblings, each too small for a column */
	FLAMETEXT_COLORS,
};

struct flametext_box {
	uint32_t row, column, width; /* within the area, from its upper left corner; width >= 1 */
	uint32_t node;	     /* of the tree; if the box merges several siblings: the largest */
	uint32_t first, end; /* the nodes that it stands for: from @first to @end - 1 */
	uint32_t level;	     /* 0: the root */
	bool is_above;	     /* a caller of the zoomed node, whose other callees have no boxes */
	uint64_t total;	     /* samples */
	const char *label;
	size_t label_len;     /* bytes of it that there is room for */
	uint32_t label_width; /* columns that the label takes, with the "…" of a cut one */
	bool cut; /* "…" is to follow; never in less than 3 columns: nothing is shown */
	enum flametext_color color;
	bool odd; /* every other box of a row, to tell neighbours apart */
};

enum flametext_move {
	FLAMETEXT_CALLER,
	FLAMETEXT_CALLEE, /* the widest */
	FLAMETEXT_LEFT,	  /* the next box of the row */
	FLAMETEXT_RIGHT,
};

/* It has no boxes before it has a tree and an area. NULL: no memory. */
struct flametext *flametext__new(void);
void flametext__free(struct flametext *f);

/*
 * Shows another tree, of that profile; NULL and NULL: no boxes. Both are borrowed until the next
 * call, and labels point into the profile. 0 or -ENOMEM.
 */
int flametext__set(struct flametext *f, const struct profile *p, const struct tree *t) must_check;
/* Lays the boxes out anew for an area of another size. 0 or -ENOMEM. */
int flametext__resize(struct flametext *f, const struct flametext_area *area) must_check;

/*
 * The boxes to draw: by level from the root on, from left to right. If there are more levels than
 * rows, those around the cursor. Valid until the next change.
 */
const struct flametext_box *flametext__boxes(const struct flametext *f, size_t *nr);
size_t flametext__cursor(const struct flametext *f); /* index of a box */

/* The cursor's node: in a box that merges several not always the largest. 0: there is none. */
uint32_t flametext__node(const struct flametext *f);

/* How many levels there are; *first: the first of those that have rows. */
uint32_t flametext__levels(const struct flametext *f, uint32_t *first);

/* All of these do nothing without boxes. 0 or -ENOMEM. */
int flametext__move(struct flametext *f, enum flametext_move move) must_check;
/* To a box by its index; beyond the last nothing is done. */
int flametext__go(struct flametext *f, size_t box) must_check;
/* To the box of that node of the tree; zooms out to the root if it is not in the zoomed part. */
int flametext__show(struct flametext *f, uint32_t node) must_check;
/* As flametext__show(), and zooms to it; if there are too few rows it is in the middle one. */
int flametext__focus(struct flametext *f, uint32_t node) must_check;
int flametext__zoom(struct flametext *f) must_check;   /* the cursor's box gets the whole width */
int flametext__unzoom(struct flametext *f) must_check; /* back to the root */
bool flametext__is_zoomed(const struct flametext *f);  /* not to the root */

#endif
