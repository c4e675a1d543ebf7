/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/flame/sides.h - two sides in one flame graph: boxes are as wide as what a frame has on
 * both, and have one of seven colours where it is sure that it has changed, from less in B to more.
 *
 * Frames that only one side has are there, too. What a sample of a side counts is its scale: 1 /
 * samples of that side, so that shares are compared; or a number per second.
 */
#ifndef PMUTRACE_PRINT_FLAME_SIDES_H
#define PMUTRACE_PRINT_FLAME_SIDES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "model/tree.h"

struct svg_sides {
	const char *const *names; /* of both; borrowed, any bytes */
	double scale[2];
	const char *unit;   /* of what is scaled: " samples/s"; NULL: shares, in percent */
	const int8_t *sure; /* by frame: its function is more in B (1), less (-1). Borrowed */
};

enum { SIDES_STEPS = 7, SIDES_SAME = SIDES_STEPS / 2 };

/* By node of a tree: what both sides have there. */
struct sides_counts {
	uint64_t self[2], total[2]; /* samples */
};

/*
 * @t: of an overlay (model/overlay.h), with tree_opts.weights and, of its event, tree_opts.counted.
 * Its numbers become widths: in all some 2^40. *out is for free(). 0 or -ENOMEM.
 */
int sides__weigh(struct sides_counts **out, struct tree *t, const struct svg_sides *s) must_check;

/* What a side has there, scaled. */
double sides__amount(const struct svg_sides *s, const struct sides_counts *c, int side);

/*
 * The node goes the way that its function goes for sure: more, or less; what goes another way may
 * be chance. @frame: of the node; TREE_NO_FRAME: the root.
 */
bool sides__is_sure(const struct svg_sides *s, const struct sides_counts *c, uint32_t frame);

/* Below SIDES_STEPS. */
unsigned sides__step(const struct svg_sides *s, const struct sides_counts *c, uint32_t frame);

#endif
