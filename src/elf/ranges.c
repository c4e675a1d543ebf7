// SPDX-License-Identifier: BSD-2-Clause
/* A radix sort of ranges by address, and a sweep that makes them disjoint. */
#include "elf/ranges.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { RADIX_BITS = 8, BUCKETS = 1 << RADIX_BITS, DIGITS = 64 / RADIX_BITS };

static unsigned int digit(uint64_t addr, int pos)
{
	return (addr >> (pos * RADIX_BITS)) & (BUCKETS - 1);
}

static void scatter(struct range *to, const struct range *from, size_t nr, int pos,
		    const uint32_t count[BUCKETS])
{
	uint32_t at[BUCKETS], sum = 0;
	size_t i;

	for (i = 0; i < BUCKETS; i++) {
		at[i] = sum;
		sum += count[i];
	}
	for (i = 0; i < nr; i++)
		to[at[digit(from[i].addr, pos)]++] = from[i];
}

/* Radix sort: addresses of one file share their upper bytes, so three or four passes do. */
int ranges__sort(struct range *ranges, size_t nr)
{
	uint32_t count[DIGITS][BUCKETS] = {};
	struct range *from = ranges, *to, *other;
	size_t i;
	int pos;

	if (nr < 2)
		return 0;
	other = malloc(nr * sizeof(*other));
	if (!other)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		for (pos = 0; pos < DIGITS; pos++)
			count[pos][digit(ranges[i].addr, pos)]++;
	to = other;
	for (pos = 0; pos < DIGITS; pos++) {
		struct range *swap = from;

		if (count[pos][digit(ranges[0].addr, pos)] == nr)
			continue;
		scatter(to, from, nr, pos, count[pos]);
		from = to;
		to = swap;
	}
	if (from != ranges)
		memcpy(ranges, from, nr * sizeof(*ranges));
	free(other);
	return 0;
}

/* A sweep over the addresses; the heap holds the ranges that are open, the last one on top. */
struct sweep {
	const struct range *in;
	size_t nr;
	uint32_t *heap; /* indexes into in[] */
	size_t nr_heap;
	struct range *out, *whole;
	size_t nr_out, cap_out, nr_whole, cap_whole;
	size_t src; /* of the piece being written; nr: none yet */
	uint64_t start, end;
};

static void push(struct sweep *s, uint32_t id)
{
	size_t i = s->nr_heap++, up;

	for (; i; i = up) {
		up = (i - 1) / 2;
		if (id < s->heap[up])
			break;
		s->heap[i] = s->heap[up];
	}
	s->heap[i] = id;
}

static void pop(struct sweep *s)
{
	uint32_t last = s->heap[--s->nr_heap];
	size_t i = 0, down;

	for (;; i = down) {
		down = 2 * i + 1;
		if (down >= s->nr_heap)
			break;
		if (down + 1 < s->nr_heap && s->heap[down + 1] > s->heap[down])
			down++;
		if (s->heap[down] < last)
			break;
		s->heap[i] = s->heap[down];
	}
	s->heap[i] = last;
}

/* Writes the piece collected so far. */
static int flush(struct sweep *s)
{
	struct range piece;

	if (s->src == s->nr)
		return 0;
	if (array__grow(&s->out, &s->cap_out, s->nr_out + 1))
		return -ENOMEM;
	piece = s->in[s->src];
	piece.tag = RANGE_WHOLE;
	if (piece.size && (s->start != piece.addr || s->end != range__end(&piece))) {
		if (array__grow(&s->whole, &s->cap_whole, s->nr_whole + 1))
			return -ENOMEM;
		s->whole[s->nr_whole] = piece;
		piece = (struct range){
			.addr = s->start,
			.size = s->end - s->start,
			.tag = RANGE_PIECE,
			.name = s->nr_whole++,
		};
	}
	s->out[s->nr_out++] = piece;
	return 0;
}

static int cover(struct sweep *s, size_t src, uint64_t start, uint64_t end)
{
	int err;

	if (src == s->src && start == s->end) {
		s->end = end;
		return 0;
	}
	err = flush(s);
	s->src = src;
	s->start = start;
	s->end = end;
	return err;
}

static uint64_t end_of(const struct sweep *s, uint32_t id)
{
	if (s->in[id].size)
		return range__end(&s->in[id]);
	return id + 1 < s->nr ? s->in[id + 1].addr : UINT64_MAX;
}

static int run_sweep(struct sweep *s)
{
	uint64_t pos = 0, end;
	size_t next = 0;
	int err;

	while (next < s->nr || s->nr_heap) {
		if (!s->nr_heap)
			pos = s->in[next].addr;
		while (next < s->nr && s->in[next].addr <= pos)
			push(s, next++);
		while (s->nr_heap && end_of(s, s->heap[0]) <= pos)
			pop(s);
		if (!s->nr_heap)
			continue;
		end = end_of(s, s->heap[0]);
		if (next < s->nr && s->in[next].addr < end)
			end = s->in[next].addr;
		err = cover(s, s->heap[0], pos, end);
		if (err)
			return err;
		pos = end;
	}
	return flush(s);
}

static bool has_overlap(const struct range *ranges, size_t nr)
{
	size_t i;

	for (i = 1; i < nr; i++)
		if (range__end(&ranges[i - 1]) > ranges[i].addr ||
		    ranges[i - 1].addr == ranges[i].addr)
			return true;
	return false;
}

int ranges__flatten(struct range **ranges, size_t *nr, struct range **whole, size_t *nr_whole)
{
	struct sweep s = { .in = *ranges, .nr = *nr, .src = *nr };
	size_t i;
	int err;

	if (!has_overlap(*ranges, *nr)) {
		for (i = 0; i < *nr; i++)
			(*ranges)[i].tag = RANGE_WHOLE;
		return 0;
	}
	s.heap = malloc(*nr * sizeof(*s.heap));
	err = s.heap ? run_sweep(&s) : -ENOMEM;
	free(s.heap);
	if (err) {
		free(s.out);
		free(s.whole);
		return err;
	}
	free(*ranges);
	*ranges = s.out;
	*nr = s.nr_out;
	*whole = s.whole;
	*nr_whole = s.nr_whole;
	return 0;
}
