// SPDX-License-Identifier: BSD-2-Clause
/* Rows of a view: their order. */
#include <stdlib.h>

#include "model/live.h"

struct order {
	size_t value;
	int sign;
};

static int compare(const void *a, const void *b, void *arg)
{
	const struct live_row *x = a, *y = b;
	const struct order *o = arg;
	uint64_t m = 0, n = 0;

	if (o->value < LIVE_VALUES) {
		m = y->values[o->value];
		n = x->values[o->value];
	}
	if (m == n) {
		m = x->id;
		n = y->id;
	}
	return o->sign * ((m > n) - (m < n));
}

void live_rows__sort(struct live_rows *rows, size_t value, bool invert)
{
	struct order order = { value, invert ? -1 : 1 };

	if (rows->nr > 1)
		qsort_r(rows->items, rows->nr, sizeof(*rows->items), compare, &order);
}

void live_rows__free(struct live_rows *rows)
{
	free(rows->items);
	*rows = (struct live_rows){};
}
