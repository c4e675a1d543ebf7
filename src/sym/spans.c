// SPDX-License-Identifier: BSD-2-Clause
/* Ranges in sorted blocks of a page, and a pool of their names that is packed when it is full. */
#include "sym/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A part of a record's range that no later range covers. Spans are disjoint. */
struct span {
	uint64_t addr;
	uint32_t size;
	uint32_t record;
};

enum { PER_BLOCK = 255, CHUNK_BITS = 14, CHUNK_BYTES = 1 << CHUNK_BITS };

/* Ascending, never empty. */
struct span_block {
	uint32_t nr;
	struct span items[PER_BLOCK];
};

_Static_assert(sizeof(struct span_block) == 4096 - 8, "a page with malloc's own word");

/* What a range was added with, in front of its name and a NUL. */
struct record {
	uint64_t addr;
	uint32_t size;
	uint32_t moved; /* while records are packed: 1 + its new number */
};

/* Records are numbered by the place they are at: chunk, then byte. */
struct pool {
	char **chunks;
	size_t nr, cap;
	size_t used; /* of the last chunk */
};

struct spans {
	struct spans_room *room;
	struct span_block **blocks; /* ascending */
	size_t nr_blocks, cap_blocks;
	size_t nr;
	struct pool pool;
	size_t packed_chunks; /* that the last pack() has left */
};

/* A place in the blocks; at the end block is nr_blocks. */
struct at {
	size_t block, item;
};

struct spans *spans__new(struct spans_room *room)
{
	struct spans *t = calloc(1, sizeof(*t));

	if (t)
		t->room = room;
	return t;
}

static int take_room(struct spans *t, size_t bytes)
{
	struct spans_room *room = t->room;

	if (room->bytes > room->max_bytes || bytes > room->max_bytes - room->bytes)
		return -ENOSPC;
	room->bytes += bytes;
	return 0;
}

static void free_pool(struct spans *t, struct pool *p)
{
	for (size_t i = 0; i < p->nr; i++)
		free(p->chunks[i]);
	free(p->chunks);
	t->room->bytes -= p->nr * CHUNK_BYTES;
	*p = (struct pool){};
}

void spans__free(struct spans *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr_blocks; i++)
		free(t->blocks[i]);
	free(t->blocks);
	t->room->bytes -= t->nr_blocks * sizeof(struct span_block);
	free_pool(t, &t->pool);
	free(t);
}

static char *record_at(const struct pool *p, uint32_t id, struct record *r)
{
	char *at = p->chunks[id >> CHUNK_BITS] + (id & (CHUNK_BYTES - 1));

	memcpy(r, at, sizeof(*r));
	return at + sizeof(*r);
}

/* -ENOSPC: beyond the room, which is not looked at if @packing: what it replaces goes at once. */
static int add_record(struct spans *t, struct pool *p, const struct record *r, const char *name,
		      size_t len, bool packing, uint32_t *id)
{
	size_t bytes = sizeof(*r) + len + 1;
	char *at;
	int err;

	if (!p->nr || bytes > CHUNK_BYTES - p->used) {
		if (p->nr >= UINT32_MAX >> CHUNK_BITS)
			return -ENOSPC;
		err = array__grow(&p->chunks, &p->cap, p->nr + 1);
		if (err)
			return err;
		if (packing)
			t->room->bytes += CHUNK_BYTES;
		else if (take_room(t, CHUNK_BYTES))
			return -ENOSPC;
		p->chunks[p->nr] = malloc(CHUNK_BYTES);
		if (!p->chunks[p->nr]) {
			t->room->bytes -= CHUNK_BYTES;
			return -ENOMEM;
		}
		p->nr++;
		p->used = 0;
	}
	at = p->chunks[p->nr - 1] + p->used;
	memcpy(at, r, sizeof(*r));
	memcpy(at + sizeof(*r), name, len);
	at[sizeof(*r) + len] = '\0';
	*id = (uint32_t)(p->nr - 1) << CHUNK_BITS | (uint32_t)p->used;
	p->used += bytes;
	return 0;
}

/* Parts of one range share its record: it leaves its new number where it was. */
static int move_record(struct spans *t, struct pool *to, struct span *s)
{
	struct record r;
	char *name = record_at(&t->pool, s->record, &r);
	uint32_t id;
	int err;

	if (r.moved) {
		s->record = r.moved - 1;
		return 0;
	}
	err = add_record(t, to, &r, name, strlen(name), true, &id);
	if (err)
		return err;
	s->record = id;
	r.moved = id + 1;
	memcpy(name - sizeof(r), &r, sizeof(r));
	return 0;
}

/* Are at least a quarter of the records those of ranges that are covered by now? */
static bool is_worth_packing(const struct spans *t)
{
	size_t bytes = 0, all = t->pool.nr * CHUNK_BYTES;
	struct record r;

	for (size_t b = 0; b < t->nr_blocks; b++)
		for (size_t i = 0; i < t->blocks[b]->nr; i++)
			bytes += sizeof(r) + 1 +
				 strlen(record_at(&t->pool, t->blocks[b]->items[i].record, &r));
	return bytes <= all - all / 4;
}

/* Gives up the records of ranges that are covered by now. 0; -ENOSPC: there are too few of them. */
static int pack(struct spans *t)
{
	struct pool fresh = {};
	int err = 0;

	/* Only after it has grown by a quarter, or the same few would be packed for ever. */
	if (t->pool.nr < t->packed_chunks + t->packed_chunks / 4 + 2)
		return -ENOSPC;
	t->packed_chunks = t->pool.nr;
	if (!is_worth_packing(t))
		return -ENOSPC;
	for (size_t b = 0; b < t->nr_blocks && !err; b++)
		for (size_t i = 0; i < t->blocks[b]->nr && !err; i++)
			err = move_record(t, &fresh, &t->blocks[b]->items[i]);
	/* Some spans have numbers of the new pool, others of the old one: all are dropped. */
	if (err) {
		for (size_t b = 0; b < t->nr_blocks; b++)
			free(t->blocks[b]);
		t->room->bytes -= t->nr_blocks * sizeof(struct span_block);
		t->nr_blocks = t->nr = 0;
	}
	free_pool(t, &t->pool);
	t->pool = fresh;
	t->packed_chunks = fresh.nr;
	return err;
}

static uint64_t end_of(const struct span *s)
{
	return s->addr + s->size;
}

/* The first span that ends behind @addr. */
static struct at find_at(const struct spans *t, uint64_t addr)
{
	size_t lo = 0, hi = t->nr_blocks, mid;
	struct at at;

	while (lo < hi) {
		const struct span_block *b = t->blocks[mid = lo + (hi - lo) / 2];

		if (end_of(&b->items[b->nr - 1]) <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	at = (struct at){ .block = lo };
	if (lo == t->nr_blocks)
		return at;
	for (lo = 0, hi = t->blocks[at.block]->nr; lo < hi;) {
		mid = lo + (hi - lo) / 2;
		if (end_of(&t->blocks[at.block]->items[mid]) <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	at.item = lo;
	return at;
}

static struct span *span_at(const struct spans *t, struct at at)
{
	return at.block < t->nr_blocks ? &t->blocks[at.block]->items[at.item] : NULL;
}

/* An empty block in front of the i-th. */
static int add_block(struct spans *t, size_t i)
{
	struct span_block *b;
	int err = array__grow(&t->blocks, &t->cap_blocks, t->nr_blocks + 1);

	if (!err)
		err = take_room(t, sizeof(*b));
	if (err)
		return err;
	b = malloc(sizeof(*b));
	if (!b) {
		t->room->bytes -= sizeof(*b);
		return -ENOMEM;
	}
	b->nr = 0;
	memmove(t->blocks + i + 1, t->blocks + i, (t->nr_blocks - i) * sizeof(*t->blocks));
	t->blocks[i] = b;
	t->nr_blocks++;
	return 0;
}

/* Splits the full block of @at. At the very end it stays full: code is mostly added there. */
static int split(struct spans *t, struct at *at)
{
	struct span_block *b = t->blocks[at->block], *next;
	uint32_t keep =
		at->block + 1 == t->nr_blocks && at->item == PER_BLOCK ? PER_BLOCK : PER_BLOCK / 2;
	int err = add_block(t, at->block + 1);

	if (err)
		return err;
	next = t->blocks[at->block + 1];
	next->nr = PER_BLOCK - keep;
	memcpy(next->items, b->items + keep, next->nr * sizeof(*b->items));
	b->nr = keep;
	if (at->item > keep || keep == PER_BLOCK) {
		at->block++;
		at->item -= keep;
	}
	return 0;
}

/* Inserts @s in front of what is at @at. */
static int insert(struct spans *t, struct at at, const struct span *s)
{
	struct span_block *b;
	int err = 0;

	if (!t->nr_blocks)
		err = add_block(t, 0);
	else if (at.block == t->nr_blocks)
		at = (struct at){ t->nr_blocks - 1, t->blocks[t->nr_blocks - 1]->nr };
	if (!err && t->blocks[at.block]->nr == PER_BLOCK)
		err = split(t, &at);
	if (err)
		return err;
	b = t->blocks[at.block];
	memmove(b->items + at.item + 1, b->items + at.item, (b->nr - at.item) * sizeof(*s));
	b->items[at.item] = *s;
	b->nr++;
	t->nr++;
	return 0;
}

static void remove_blocks(struct spans *t, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		t->nr -= t->blocks[i]->nr;
		free(t->blocks[i]);
	}
	t->room->bytes -= (to - from) * sizeof(struct span_block);
	memmove(t->blocks + from, t->blocks + to, (t->nr_blocks - to) * sizeof(*t->blocks));
	t->nr_blocks -= to - from;
}

static void remove_items(struct spans *t, size_t block, size_t from, size_t to)
{
	struct span_block *b = t->blocks[block];

	memmove(b->items + from, b->items + to, (b->nr - to) * sizeof(*b->items));
	b->nr -= to - from;
	t->nr -= to - from;
}

/* All from @from up to what is at @to. */
static void remove_between(struct spans *t, struct at from, struct at to)
{
	size_t first = from.block;

	if (from.block == to.block) {
		if (from.block < t->nr_blocks)
			remove_items(t, from.block, from.item, to.item);
		return;
	}
	if (to.block < t->nr_blocks)
		remove_items(t, to.block, 0, to.item);
	if (from.item) {
		remove_items(t, from.block, from.item, t->blocks[from.block]->nr);
		first++;
	}
	remove_blocks(t, first, to.block);
}

/* Nothing covers [addr, end) afterwards. */
static int clear(struct spans *t, uint64_t addr, uint64_t end)
{
	struct at from = find_at(t, addr);
	struct span *s = span_at(t, from), behind;
	int err;

	if (s && s->addr < addr) {
		behind = *s;
		s->size = addr - s->addr;
		from = find_at(t, addr);
		if (end_of(&behind) > end) {
			behind.size = end_of(&behind) - end;
			behind.addr = end;
			err = insert(t, from, &behind);
			if (err)
				return err;
			return 0;
		}
	}
	remove_between(t, from, find_at(t, end));
	s = span_at(t, find_at(t, addr));
	if (s && s->addr < end) {
		s->size = end_of(s) - end;
		s->addr = end;
	}
	return 0;
}

static int put(struct spans *t, const struct record *r, const char *name, size_t len)
{
	struct span s = { .addr = r->addr, .size = r->size };
	int err = add_record(t, &t->pool, r, name, len, false, &s.record);

	if (!err)
		err = clear(t, s.addr, end_of(&s));
	return err ? err : insert(t, find_at(t, s.addr), &s);
}

int spans__put(struct spans *t, uint64_t addr, uint64_t size, const char *name, size_t len)
{
	struct record r = { .addr = addr, .size = size < UINT32_MAX ? size : UINT32_MAX };
	int err;

	if (r.size > UINT64_MAX - addr)
		r.size = UINT64_MAX - addr;
	if (!r.size)
		return 0;
	if (len > SPANS_NAME_BYTES)
		len = SPANS_NAME_BYTES;
	err = put(t, &r, name, len);
	if (err != -ENOSPC)
		return err;
	err = pack(t);
	return err ? err : put(t, &r, name, len);
}

bool spans__find(const struct spans *t, uint64_t addr, struct sym *out)
{
	const struct span *s = span_at(t, find_at(t, addr));
	struct record r;

	if (!s || addr < s->addr)
		return false;
	out->name = record_at(&t->pool, s->record, &r);
	out->addr = r.addr;
	out->size = r.size;
	return true;
}
