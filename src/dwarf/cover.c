// SPDX-License-Identifier: BSD-2-Clause
/* Sweeps over the ends of ranges, with a heap of those that cover the place. */
#include "dwarf/cover.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

struct heap {
	const struct cover_range *ranges;
	uint32_t *at; /* indices of ranges, the one that counts first */
	size_t nr;
};

static bool counts_before(const struct heap *h, uint32_t a, uint32_t b)
{
	const struct cover_range *left = &h->ranges[a], *right = &h->ranges[b];

	if (left->rank != right->rank)
		return left->rank > right->rank;
	return left->id < right->id;
}

static void push(struct heap *h, uint32_t range)
{
	size_t i = h->nr++, up;

	for (; i; i = up) {
		up = (i - 1) / 2;
		if (!counts_before(h, range, h->at[up]))
			break;
		h->at[i] = h->at[up];
	}
	h->at[i] = range;
}

static void pop(struct heap *h)
{
	uint32_t last = h->at[--h->nr];
	size_t i = 0, down;

	for (; (down = 2 * i + 1) < h->nr; i = down) {
		if (down + 1 < h->nr && counts_before(h, h->at[down + 1], h->at[down]))
			down++;
		if (!counts_before(h, h->at[down], last))
			break;
		h->at[i] = h->at[down];
	}
	h->at[i] = last;
}

static int compare_lows(const void *a, const void *b)
{
	const struct cover_range *left = a, *right = b;

	return left->low < right->low ? -1 : left->low > right->low;
}

static void emit(struct cover *c, uint64_t start, uint32_t id)
{
	if (c->nr ? c->ids[c->nr - 1] == id : id == COVER_NONE)
		return;
	c->starts[c->nr] = start;
	c->ids[c->nr++] = id;
}

static void sweep(struct cover *out, struct heap *h, size_t nr)
{
	const struct cover_range *r = h->ranges;
	uint64_t pos = 0, next;
	size_t i = 0;

	while (i < nr || h->nr) {
		if (!h->nr)
			pos = r[i].low;
		for (; i < nr && r[i].low <= pos; i++)
			push(h, i);
		while (h->nr && r[h->at[0]].high <= pos)
			pop(h);
		if (!h->nr) {
			emit(out, pos, COVER_NONE);
			continue;
		}
		next = r[h->at[0]].high;
		if (i < nr && r[i].low < next)
			next = r[i].low;
		emit(out, pos, r[h->at[0]].id);
		pos = next;
	}
}

int cover__build(struct cover *out, struct cover_range *ranges, size_t nr)
{
	struct heap heap = { .ranges = ranges };
	void *less;

	*out = (struct cover){};
	if (!nr)
		return 0;
	if (nr > INT32_MAX)
		return -EFBIG;
	for (size_t i = 1; i < nr; i++)
		if (ranges[i].low < ranges[i - 1].low) {
			qsort(ranges, nr, sizeof(*ranges), compare_lows);
			break;
		}
	/* Each range begins one part, and ends one. */
	out->starts = calloc(2 * nr, sizeof(*out->starts));
	out->ids = calloc(2 * nr, sizeof(*out->ids));
	heap.at = calloc(nr, sizeof(*heap.at));
	if (!out->starts || !out->ids || !heap.at) {
		free(heap.at);
		cover__free(out);
		return -ENOMEM;
	}
	sweep(out, &heap, nr);
	free(heap.at);
	/* Smaller is always possible; and if not, it stays as it is. */
	less = realloc(out->starts, (out->nr + 1) * sizeof(*out->starts));
	if (less)
		out->starts = less;
	less = realloc(out->ids, (out->nr + 1) * sizeof(*out->ids));
	if (less)
		out->ids = less;
	return 0;
}

void cover__free(struct cover *c)
{
	free(c->starts);
	free(c->ids);
	*c = (struct cover){};
}

uint32_t cover__find(const struct cover *c, uint64_t addr)
{
	size_t low = 0, high = c->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->starts[middle] <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? c->ids[low - 1] : COVER_NONE;
}

size_t cover__bytes(const struct cover *c)
{
	return c->nr * (sizeof(*c->starts) + sizeof(*c->ids));
}
