// SPDX-License-Identifier: BSD-2-Clause
/* Parts the samples of an overlay's nodes into those of both sides; widths and steps of them. */
#include "print/flame/sides.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const double width_of_all = 0x1p40;

double sides__amount(const struct svg_sides *s, const struct sides_counts *c, int side)
{
	return (double)c->total[side] * s->scale[side];
}

/* Of an overlay weights are samples of B. */
static void part(struct sides_counts *counts, const struct tree *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		const uint64_t self = t->self_weights[i], total = t->counted[i];

		counts[i] = (struct sides_counts){
			.self = { t->nodes[i].self - self, self },
			.total = { t->nodes[i].total - total, total },
		};
	}
}

int sides__weigh(struct sides_counts **out, struct tree *t, const struct svg_sides *s)
{
	struct sides_counts *c = *out = calloc(t->nr, sizeof(*c));
	double all;

	if (!c)
		return -ENOMEM;
	part(c, t);
	all = sides__amount(s, c, 0) + sides__amount(s, c, 1);
	for (size_t i = 0; i < t->nr; i++) {
		const double self =
			(double)c[i].self[0] * s->scale[0] + (double)c[i].self[1] * s->scale[1];

		t->nodes[i].self = all > 0 ? (uint64_t)(self / all * width_of_all + 0.5) : 0;
		t->nodes[i].total = t->nodes[i].self;
	}
	for (size_t i = t->nr; i-- > 1;)
		t->nodes[t->nodes[i].parent].total += t->nodes[i].total;
	return 0;
}

static double change_of(const struct svg_sides *s, const struct sides_counts *c)
{
	const double a = sides__amount(s, c, 0), b = sides__amount(s, c, 1);

	return a + b > 0 ? (b - a) / (a + b) : 0;
}

bool sides__is_sure(const struct svg_sides *s, const struct sides_counts *c, uint32_t frame)
{
	const double change = change_of(s, c);

	return frame != TREE_NO_FRAME &&
	       ((change > 0 && s->sure[frame] > 0) || (change < 0 && s->sure[frame] < 0));
}

/* The change by the sum of both: 1 is only in B, 0.1 a factor of 1.2, 0.3 one of 1.9. */
unsigned sides__step(const struct svg_sides *s, const struct sides_counts *c, uint32_t frame)
{
	const double change = change_of(s, c), far = fabs(change);
	const unsigned away = far < 0.1 ? 1 : far < 0.3 ? 2 : 3;

	if (!sides__is_sure(s, c, frame))
		return SIDES_SAME;
	return change < 0 ? SIDES_SAME - away : SIDES_SAME + away;
}
