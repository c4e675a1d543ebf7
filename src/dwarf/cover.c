// SPDX-License-Identifier: BSD-2-Clause
/* Sweeps over the ends of ranges, with a heap of those that cover the place. */
#include "dwarf/cover.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/radix.h"

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

/* By where they begin. */
static void sort(struct cover_ranges *r)
{
	struct cover_range *sorted;

	_Static_assert(!offsetof(struct cover_range, low), "they are sorted by it");
	for (size_t i = 1; i < r->nr; i++) {
		if (r->all[i].low >= r->all[i - 1].low)
			continue;
		sorted = radix__sort(r->all, r->spare, r->nr, sizeof(*sorted));
		if (sorted == r->spare)
			*r = (struct cover_ranges){ .all = r->spare,
						    .spare = r->all,
						    .nr = r->nr,
						    .cap = r->cap_spare,
						    .cap_spare = r->cap };
		return;
	}
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

/* As many parts as there are: they stay. */
static int keep(struct cover *out, const struct cover *parts, struct arena *memory)
{
	out->starts = arena__copy(memory, parts->starts, parts->nr * sizeof(*out->starts));
	out->ids = arena__copy(memory, parts->ids, parts->nr * sizeof(*out->ids));
	if (!out->starts || !out->ids)
		return -ENOMEM;
	out->nr = parts->nr;
	return 0;
}

/* What is not sorted into has room for the parts, as each range begins one and ends one. */
static void find_parts(struct cover_ranges *ranges, struct cover *parts)
{
	const size_t nr = ranges->nr;
	struct heap heap = {};

	_Static_assert(sizeof(struct cover_range) >=
			       2 * (sizeof(*parts->starts) + sizeof(*parts->ids)) +
				       sizeof(*heap.at),
		       "there is room");
	sort(ranges);
	parts->starts = (uint64_t *)ranges->spare;
	parts->ids = (uint32_t *)(parts->starts + 2 * nr);
	heap.at = parts->ids + 2 * nr;
	heap.ranges = ranges->all;
	sweep(parts, &heap, nr);
}

int cover__build(struct cover *out, struct cover_ranges *ranges, struct arena *memory)
{
	struct cover parts = {};
	int err;

	*out = (struct cover){};
	if (!ranges->nr)
		return 0;
	if (ranges->nr > INT32_MAX)
		return -EFBIG;
	err = array__grow(&ranges->spare, &ranges->cap_spare, ranges->cap);
	if (err)
		return err;
	find_parts(ranges, &parts);
	ranges->nr = 0;
	return keep(out, &parts, memory);
}

int cover_ranges__add(struct cover_ranges *r, struct cover_range range)
{
	int err = array__grow(&r->all, &r->cap, r->nr + 1);

	if (!err)
		r->all[r->nr++] = range;
	return err;
}

void cover_ranges__free(struct cover_ranges *r)
{
	free(r->all);
	free(r->spare);
	*r = (struct cover_ranges){};
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
