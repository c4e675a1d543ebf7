// SPDX-License-Identifier: BSD-2-Clause
#include "base/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

enum { FIRST_BYTES = 16 << 10 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, cap; /* of bytes */
	alignas(max_align_t) char bytes[];
};

static size_t rounded(size_t bytes)
{
	const size_t unit = alignof(max_align_t);

	return (bytes + unit - 1) / unit * unit;
}

static struct arena_chunk *new_chunk(size_t all)
{
	struct arena_chunk *c = all == PAGES_LARGE ? pages__map_large() : pages__alloc(all);

	if (c)
		*c = (struct arena_chunk){ .cap = all - sizeof(*c) };
	return c;
}

static void free_chunk(struct arena_chunk *c)
{
	if (c->cap + sizeof(*c) == PAGES_LARGE)
		pages__unmap_large(c);
	else
		free(c);
}

/* One with room for @bytes; of a chunk of its own nothing is left, and the first stays first. */
static struct arena_chunk *add_chunk(struct arena *a, size_t bytes)
{
	const size_t usual = a->bytes < FIRST_BYTES   ? FIRST_BYTES
			     : a->bytes < PAGES_LARGE ? a->bytes
						      : PAGES_LARGE;
	const bool own = bytes > (usual - sizeof(struct arena_chunk)) / 2;
	const size_t all = own ? bytes + sizeof(struct arena_chunk) : usual;
	struct arena_chunk *c = new_chunk(all);

	if (!c)
		return NULL;
	a->bytes += all;
	if (own && a->chunks) {
		c->next = a->chunks->next;
		a->chunks->next = c;
	} else {
		c->next = a->chunks;
		a->chunks = c;
	}
	return c;
}

void *arena__alloc(struct arena *a, size_t bytes)
{
	struct arena_chunk *c = a->chunks;
	void *at;

	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = rounded(bytes);
	if (!c || c->cap - c->used < bytes)
		c = add_chunk(a, bytes);
	if (!c)
		return NULL;
	at = c->bytes + c->used;
	c->used += bytes;
	return at;
}

void *arena__copy(struct arena *a, const void *from, size_t bytes)
{
	void *to = arena__alloc(a, bytes);

	if (to && bytes)
		memcpy(to, from, bytes);
	return to;
}

void arena__free(struct arena *a)
{
	struct arena_chunk *c, *next;

	for (c = a->chunks; c; c = next) {
		next = c->next;
		free_chunk(c);
	}
	*a = (struct arena){};
}
