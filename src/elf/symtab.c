// SPDX-License-Identifier: BSD-2-Clause
/* Collects symbols, keeps the best name of each address, and finds them by binary search. */
#include "elf/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/names.h"
#include "elf/ranges.h"

/*
 * Symbols of one address stay in the order they were added, as ranges__sort() is stable: so the
 * first of equal ones can win.
 */
struct symtab {
	struct range *ranges;
	size_t nr, cap;
	struct range *whole; /* what the pieces of a split symbol were */
	size_t nr_whole;
	struct names names;
	bool unsorted, prefer_plain;
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
	names__free(&t->names);
	free(t);
}

int symtab__add_kept(struct symtab *t, uint64_t addr, uint64_t size, uint32_t name,
		     enum sym_rank rank)
{
	if (t->nr >= UINT32_MAX)
		return -ENOMEM;
	if (size > UINT64_MAX - addr)
		size = UINT64_MAX - addr;
	if (array__grow(&t->ranges, &t->cap, t->nr + 1))
		return -ENOMEM;
	if (t->nr && t->ranges[t->nr - 1].addr > addr)
		t->unsorted = true;
	t->ranges[t->nr++] = (struct range){
		.addr = addr,
		.size = size < RANGE_MAX_BYTES ? size : RANGE_MAX_BYTES,
		.tag = rank,
		.name = name,
	};
	return 0;
}

int symtab__add(struct symtab *t, uint64_t addr, uint64_t size, const char *name, size_t len,
		enum sym_rank rank)
{
	uint32_t id;
	int err = names__add(&t->names, name, len, &id);

	return err ? err : symtab__add_kept(t, addr, size, id, rank);
}

int symtab__keep_names(struct symtab *t, int fd, uint64_t at, uint64_t len, const char *tail,
		       uint32_t *first)
{
	return names__keep(&t->names, fd, at, len, tail, first);
}

void symtab__prefer_plain(struct symtab *t)
{
	t->prefer_plain = true;
}

void symtab__charge(struct symtab *t, struct allowance *a)
{
	t->names.charge = a;
}

void symtab__peek(struct symtab *t, uint32_t name, char first[2])
{
	names__peek(&t->names, name, first);
}

/* The more, the better; the name itself is looked at only if it makes a difference. */
struct merit {
	bool is_named, is_plain;
	unsigned rank;
};

static bool is_plain(struct symtab *t, const struct range *r)
{
	char first[2];

	names__peek(&t->names, r->name, first);
	return first[0] != '_';
}

static bool is_better(struct symtab *t, const struct range *r, struct merit *best)
{
	struct merit m = {
		.is_named = !names__is_none(&t->names, r->name),
		.rank = r->tag,
	};
	bool is_equal = m.is_named == best->is_named && m.rank == best->rank;

	if (is_equal && best->is_plain)
		return false;
	if (!is_equal && (m.is_named != best->is_named ? !m.is_named : m.rank < best->rank))
		return false;
	m.is_plain = !t->prefer_plain || is_plain(t, r);
	if (is_equal && !m.is_plain)
		return false;
	*best = m;
	return true;
}

/*
 * The symbols of one address: which one names it, and which one, if any, still covers what
 * lies behind the end of that. The winner inherits a size if it has none of its own.
 */
static size_t keep_best(struct symtab *t, const struct range *group, size_t nr,
			struct range keep[2])
{
	const struct range *best = group, *longest = group;
	struct range winner, behind;
	struct merit merit = {};
	size_t i;

	for (i = 0; i < nr && nr > 1; i++) {
		if (is_better(t, &group[i], &merit) || !i)
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
static int settle(struct symtab *t)
{
	struct range *fit;
	int err;

	err = ranges__flatten(&t->ranges, &t->nr, &t->whole, &t->nr_whole);
	if (err)
		return err;
	fit = realloc(t->ranges, (t->nr + 1) * sizeof(*fit));
	if (fit) {
		t->ranges = fit;
		t->cap = t->nr + 1;
	}
	names__settle(&t->names);
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
	return settle(t);
}

bool symtab__find(struct symtab *t, uint64_t addr, struct sym *out)
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
	*out = (struct sym){ .addr = r->addr, .size = r->size };
	out->name = names__get(&t->names, r->name);
	return *out->name;
}

size_t symtab__nr(const struct symtab *t)
{
	return t->nr;
}

size_t symtab__bytes(const struct symtab *t)
{
	return sizeof(*t) + (t->cap + t->nr_whole) * sizeof(*t->ranges) + t->names.pool.cap +
	       t->names.got.cap;
}

size_t symtab__nr_files(const struct symtab *t)
{
	return names__nr_files(&t->names);
}
