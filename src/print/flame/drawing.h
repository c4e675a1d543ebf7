/* SPDX-License-Identifier: BSD-2-Clause */
/* print/flame/drawing.h - what the parts of print/flame/svg.c share; nobody else includes it. */
#ifndef PMUTRACE_PRINT_FLAME_DRAWING_H
#define PMUTRACE_PRINT_FLAME_DRAWING_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/tree.h"
#include "print/flame/coloring.h"
#include "print/flame/sides.h"
#include "print/flame/svg.h"
#include "print/writer.h"

/* All in px; flame/draw.js has the same numbers. */
enum {
	DRAW_PAD = 10,
	DRAW_TOP = 78, /* where the boxes begin; above: title, event, losses */
	DRAW_ROW = 16,
	DRAW_BOX = 15,	    /* a row without the gap below it */
	DRAW_BASELINE = 11, /* of the text in a box */
	DRAW_CAP = 100,	    /* rows: a deeper stack is no tower; the script shows more */
	DRAW_TITLE_Y = 26,
	DRAW_SMALL_CELL = 640, /* hundredths: mean width of a letter in all texts but the title */
};

struct drawing {
	struct writer w;
	const struct profile *p;
	const struct svg_opts *o;
	const struct profile_event *event;
	const char *title; /* valid UTF-8 */
	const struct tree *tree;
	const struct coloring *coloring;   /* NULL: frames are coloured by their kind and name */
	const struct sides_counts *counts; /* by node, with svg_opts.sides; else NULL */
	unsigned width;
	uint32_t levels; /* rows drawn, the root's included */
	bool cut;	 /* there are deeper ones: beyond DRAW_CAP, or too many boxes */
	uint64_t least;	 /* samples: boxes with fewer are not drawn */
};

/* What a frame's colours are of, without a ratio: one of these CSS classes, such as "u3". */
void drawing__put_class(struct drawing *d, uint32_t frame);

/* The name to show, and its length; the root's is "all". */
const char *drawing__name(const struct drawing *d, uint32_t frame, size_t *len);

static inline const char *drawing__noun(const struct drawing *d)
{
	return d->o->noun ? d->o->noun : "sample";
}

/* Fits the text into @px, in a font of @cell hundredths of px a column; cut with "…". */
void drawing__put_cut(struct drawing *d, const char *s, size_t len, uint64_t px, unsigned cell);

/* What the colours stand for, beside the title. */
void drawing__put_legend(struct drawing *d);

/* Chooses which boxes are drawn: levels, cut and least. */
int drawing__measure(struct drawing *d) must_check;

/* The boxes as plain elements. */
int drawing__put_boxes(struct drawing *d) must_check;

#endif
