/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/flame/coloring.h - frames coloured by a ratio (columns/shade.h) of what was counted in them
 * and in what they call: seven steps from low to high.
 *
 * The scale ends where a twentieth of the samples have a lower ratio, or a higher one, so that a
 * few extremes do not make all others one colour; these have the colours of the ends.
 */
#ifndef PMUTRACE_PRINT_FLAME_COLORING_H
#define PMUTRACE_PRINT_FLAME_COLORING_H

#include <stdint.h>

#include "base/array.h"
#include "columns/shade.h"
#include "model/tree.h"
#include "print/writer.h"

enum {
	COLORING_STEPS = 7,
	COLORING_UNKNOWN = COLORING_STEPS, /* nothing was counted there that it could be of */
};

struct coloring {
	const struct shade *shade;
	double low, high; /* low < high; both NAN: no frame has a ratio */
};

/* Chooses the scale. @t: with tree_opts.counted of the shade's events. 0 or -ENOMEM. */
int coloring__init(struct coloring *c, const struct shade *shade, const struct tree *t) must_check;

/* NAN: unknown. */
double coloring__ratio(const struct coloring *c, const struct tree *t, uint32_t node);

/* Below COLORING_STEPS, or COLORING_UNKNOWN. */
unsigned coloring__step(const struct coloring *c, double ratio);

/* Three digits, and no exponent before 1e15, as pages have it: 1.23, 1250, 12300; "-": unknown. */
void coloring__put_ratio(struct writer *w, double ratio);

#endif
