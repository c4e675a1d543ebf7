// SPDX-License-Identifier: BSD-2-Clause
/* Chooses the ends of the scale by how many samples have which ratio, and the steps between. */
#include "print/flame/coloring.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAIL = 20 }; /* one in so many samples is beyond either end of the scale */

struct weighed {
	double ratio;
	uint64_t samples;
};

static int compare(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	return (x->ratio > y->ratio) - (x->ratio < y->ratio);
}

double coloring__ratio(const struct coloring *c, const struct tree *t, uint32_t node)
{
	const uint32_t *events;
	const size_t nr = shade__events(c->shade, &events);
	const double ratio = shade__value(c->shade, &t->counted[node * nr]);

	return isfinite(ratio) ? ratio : NAN;
}

unsigned coloring__step(const struct coloring *c, double ratio)
{
	double at;

	if (isnan(ratio) || isnan(c->low))
		return COLORING_UNKNOWN;
	at = floor((ratio - c->low) / (c->high - c->low) * COLORING_STEPS);
	return at < 0 ? 0 : at < COLORING_STEPS ? (unsigned)at : COLORING_STEPS - 1;
}

/* The ratio below which so many samples are. */
static double ratio_at(const struct weighed *all, size_t nr, double samples)
{
	double sum = 0;

	for (size_t i = 0; i < nr; i++) {
		sum += (double)all[i].samples;
		if (sum >= samples)
			return all[i].ratio;
	}
	return nr ? all[nr - 1].ratio : NAN;
}

/* Frames in which samples ended: others are sums of these. */
int coloring__init(struct coloring *c, const struct shade *shade, const struct tree *t)
{
	struct weighed *all = malloc((t->nr + 1) * sizeof(*all));
	double samples = 0;
	size_t nr = 0;

	*c = (struct coloring){ .shade = shade };
	if (!all)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->nr; i++) {
		const double ratio = coloring__ratio(c, t, i);

		if (!t->nodes[i].self || isnan(ratio))
			continue;
		all[nr++] = (struct weighed){ ratio, t->nodes[i].self };
		samples += (double)t->nodes[i].self;
	}
	qsort(all, nr, sizeof(*all), compare);
	c->low = ratio_at(all, nr, samples / TAIL);
	c->high = ratio_at(all, nr, samples - samples / TAIL);
	/* All have the same: that is in the middle. */
	if (c->low == c->high) {
		c->low -= c->low ? fabs(c->low) / 2 : 0.5;
		c->high += c->high ? fabs(c->high) / 2 : 0.5;
	}
	free(all);
	return 0;
}

void coloring__put_ratio(struct writer *w, double ratio)
{
	char digits[32];

	if (isnan(ratio)) {
		writer__putc(w, '-');
		return;
	}
	snprintf(digits, sizeof(digits), "%.3g", ratio);
	ratio = strtod(digits, NULL);
	if (fabs(ratio) >= 1000 && fabs(ratio) < 1e15)
		writer__printf(w, "%.0f", ratio);
	else
		writer__puts(w, digits);
}
