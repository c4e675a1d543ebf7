/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/flame/svg.h - a flame graph: one self-contained file.
 *
 * The file has the graph twice. Plain boxes, which every viewer draws, also without
 * scripts: an <img>, a printer, a converter. And the whole tree as compact data, from
 * which the script in it (flame/) draws again after a zoom or a search, with the boxes
 * that were too narrow before. No network, no fonts of its own.
 *
 * Widths are samples. A box narrower than 0.1 px is left out but counts in the boxes
 * below it. The plain boxes stop at 100 levels, or where they would become too many for a
 * viewer (some 10,000); the script draws the rows that are in the window, 100 levels until the
 * reader wants to see deeper. Looks (style.css) follow what he has set: dark or light, a narrow
 * window, a finger in place of a mouse.
 */
#ifndef PMUTRACE_PRINT_FLAME_SVG_H
#define PMUTRACE_PRINT_FLAME_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

struct profile;
struct shade;
struct svg_sides;

enum { SVG_WIDTH = 1200 };

struct svg_opts {
	uint32_t event;		   /* index into the profile's events */
	const char *noun;	   /* what was counted: "hit"; NULL: "sample"; plain letters */
	const char *title;	   /* NULL: "Flame graph of EVENT"; borrowed; any bytes */
	bool reverse;		   /* merge from the innermost frame */
	bool icicle;		   /* the root on top */
	const struct shade *shade; /* colours: print/flame/coloring.h; NULL: kinds and names */
	/* @p is an overlay (model/overlay.h): print/flame/sides.h. NULL: it is none. */
	const struct svg_sides *sides;
	unsigned width; /* px before the script fits it to the window; 0: SVG_WIDTH */
};

/* 0, -EINVAL (no such event), -ENOMEM, or another -errno (@f did not take it all). */
int print__svg(FILE *f, const struct profile *p, const struct svg_opts *o) must_check;

#endif
