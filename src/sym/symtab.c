// SPDX-License-Identifier: BSD-2-Clause
#include "sym/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "sym/ranges.h"

/*
 * Names lie in one pool, in the order they were added: so a name's place tells which of
 * two symbols came first.
 */
struct symtab {
	struct range *ranges;
	size_t nr, cap;
	struct range *whole; /* what the pieces of a split symbol were */
	size_t nr_whole;
	struct buf names;
	bool unsorted;
};

struct symtab *symtab__new(void)
{
	return calloc(1, sizeof(struct symtab));
}

void symtab__free(struct symtab *t)
{
	if (!t)
		return;
	free(t->ranges);
	free(t->whole);
	buf__free(&t->names);
	free(t);
}

int symtab__add(struct symtab *t, uint64_t addr, uint64_t size, const char *name, size_t len,
		enum sym_rank rank)
{
	size_t at = t->names.len;

	if (len >= UINT32_MAX - at || t->nr >= UINT32_MAX)
		return -ENOMEM;
	if (size > UINT64_MAX - addr)
		size = UINT64_MAX - addr;
	if (array__grow(&t->ranges, &t->cap, t->nr + 1) || buf__reserve(&t->names, len + 1))
		return -ENOMEM;
	if (len)
		memcpy(t->names.data + at, name, len);
	t->names.data[at + len] = '\0';
	t->names.len = at + len + 1;
	if (t->nr && t->ranges[t->nr - 1].addr > addr)
		t->unsorted = true;
	t->ranges[t->nr++] = (struct range){
		.addr = addr,
		.size = size < RANGE_MAX_BYTES ? size : RANGE_MAX_BYTES,
		.tag = rank,
		.name = at,
	};
	return 0;
}

static bool is_better(const struct symtab *t, const struct range *a, const struct range *b)
{
	bool a_named = t->names.data[a->name], b_named = t->names.data[b->name];

	if (a_named != b_named)
		return a_named;
	return a->tag > b->tag;
}

/*
 * The symbols of one address: which one names it, and which one, if any, still covers what
 * lies behind the end of that. The winner inherits a size if it has none of its own.
 */
static size_t keep_best(const struct symtab *t, const struct range *group, size_t nr,
			struct range keep[2])
{
	const struct range *best = group, *longest = group;
	struct range winner, behind;
	size_t i;

	for (i = 1; i < nr; i++) {
		if (is_better(t, &group[i], best))
			best = &group[i];
		if (group[i].size > longest->size)
			longest = &group[i];
	}
	winner = *best;
	behind = *longest;
	if (!winner.size)
		winner.size = behind.size;
	if (behind.size <= winner.size) {
		keep[0] = winner;
		return 1;
	}
	keep[0] = behind;
	keep[1] = winner;
	return 2;
}

/* One name per address, and no labels inside of functions. */
static void thin_out(struct symtab *t)
{
	uint64_t covered_to = 0;
	size_t i, j, k, nr = 0, nr_kept;
	struct range kept[2];

	for (i = 0; i < t->nr; i = j) {
		for (j = i + 1; j < t->nr && t->ranges[j].addr == t->ranges[i].addr; j++)
			;
		nr_kept = keep_best(t, &t->ranges[i], j - i, kept);
		for (k = 0; k < nr_kept; k++) {
			if (!kept[k].size && kept[k].addr < covered_to)
				continue;
			if (range__end(&kept[k]) > covered_to)
				covered_to = range__end(&kept[k]);
			t->ranges[nr++] = kept[k];
		}
	}
	t->nr = nr;
}

/* Makes the ranges disjoint, and gives back the memory that only filling needed. */
static int settle(struct symtab *t, enum range_order order)
{
	struct range *fit;
	char *names;
	int err;

	err = ranges__flatten(&t->ranges, &t->nr, &t->whole, &t->nr_whole, order);
	if (err)
		return err;
	fit = realloc(t->ranges, (t->nr + 1) * sizeof(*fit));
	if (fit) {
		t->ranges = fit;
		t->cap = t->nr + 1;
	}
	names = t->names.data ? realloc(t->names.data, t->names.len + 1) : NULL;
	if (names) {
		t->names.data = names;
		t->names.cap = t->names.len + 1;
	}
	return 0;
}

static int sort(struct symtab *t)
{
	if (!t->unsorted)
		return 0;
	t->unsorted = false;
	return ranges__sort(t->ranges, t->nr);
}

int symtab__finish(struct symtab *t)
{
	int err = sort(t);

	if (err)
		return err;
	thin_out(t);
	return settle(t, RANGE_INNERMOST);
}

int symtab__finish_latest(struct symtab *t)
{
	size_t i, nr = 0;
	int err = sort(t);

	if (err)
		return err;
	for (i = 0; i < t->nr; i++)
		if (t->ranges[i].size)
			t->ranges[nr++] = t->ranges[i];
	t->nr = nr;
	return settle(t, RANGE_LATEST);
}

bool symtab__find(const struct symtab *t, uint64_t addr, struct sym *out)
{
	const struct range *r = t->ranges;
	size_t n = t->nr, half;

	if (!n || addr < r->addr)
		return false;
	/* r is always at or below addr; the compiler makes this a conditional move. */
	for (; n > 1; n -= half) {
		half = n / 2;
		r = r[half].addr <= addr ? r + half : r;
	}
	if (r->size && addr - r->addr >= r->size)
		return false;
	if (r->tag == RANGE_PIECE)
		r = &t->whole[r->name];
	if (!t->names.data[r->name])
		return false;
	*out = (struct sym){ .addr = r->addr, .size = r->size, .name = t->names.data + r->name };
	return true;
}

size_t symtab__nr(const struct symtab *t)
{
	return t->nr;
}
