// SPDX-License-Identifier: BSD-2-Clause
/* Copies strings into chunks, and finds them again by their hash. */
#include "base/strtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/idmap.h"

/* The first one is small: many tables have few strings. */
enum { FIRST_CHUNK_BYTES = 4 * 1024, CHUNK_BYTES = 64 * 1024 };

/* Chunks never move, so a string keeps its address. */
struct chunk {
	struct chunk *next;
	size_t used, cap;
	char bytes[];
};

struct entry {
	const char *s;
	uint32_t len;
	uint32_t next; /* id of another string of the same hash, 0: none */
};

struct strtab {
	struct chunk *chunks;
	size_t chunk_bytes;
	struct entry *entries;
	size_t nr, cap;
	struct idmap by_hash; /* hash -> id of the newest string with it */
	uint64_t seed;
};

static const char *copy(struct strtab *t, const char *s, size_t len)
{
	struct chunk *c = t->chunks;
	char *at;

	if (!c || c->cap - c->used < len + 1) {
		size_t cap = c ? 2 * c->cap : FIRST_CHUNK_BYTES;

		cap = cap < CHUNK_BYTES ? cap : CHUNK_BYTES;
		cap = cap > len + 1 ? cap : len + 1;
		c = malloc(sizeof(*c) + cap);
		if (!c)
			return NULL;
		*c = (struct chunk){ .next = t->chunks, .cap = cap };
		t->chunks = c;
		t->chunk_bytes += sizeof(*c) + cap;
	}
	at = c->bytes + c->used;
	memcpy(at, s, len);
	at[len] = '\0';
	c->used += len + 1;
	return at;
}

struct strtab *strtab__new(void)
{
	struct strtab *t = calloc(1, sizeof(*t));
	uint32_t id;

	if (t)
		t->seed = hash_seed();
	if (t && strtab__add(t, "", 0, &id)) {
		strtab__free(t);
		return NULL;
	}
	return t;
}

void strtab__free(struct strtab *t)
{
	struct chunk *c, *next;

	if (!t)
		return;
	for (c = t->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	free(t->entries);
	idmap__free(&t->by_hash);
	free(t);
}

/* *newest: id of the last string added with the same hash; 0: none. */
static bool find(const struct strtab *t, uint64_t h, const char *s, size_t len, uint32_t *newest,
		 uint32_t *id)
{
	uint32_t i;

	*newest = 0;
	if (!idmap__get(&t->by_hash, h, newest))
		return false;
	i = *newest;
	do {
		if (t->entries[i].len == len && !memcmp(t->entries[i].s, s, len)) {
			*id = i;
			return true;
		}
		i = t->entries[i].next;
	} while (i);
	return false;
}

bool strtab__find(const struct strtab *t, const char *s, size_t len, uint32_t *id)
{
	uint32_t newest;

	return find(t, hash_bytes(t->seed, s, len), s, len, &newest, id);
}

int strtab__add(struct strtab *t, const char *s, size_t len, uint32_t *id)
{
	uint64_t h = hash_bytes(t->seed, s, len);
	uint32_t first;
	const char *at;
	int err;

	if (find(t, h, s, len, &first, id))
		return 0;
	if (len >= UINT32_MAX || t->nr >= UINT32_MAX)
		return -ENOMEM;
	err = array__grow(&t->entries, &t->cap, t->nr + 1);
	if (err)
		return err;
	at = copy(t, s, len);
	if (!at)
		return -ENOMEM;
	err = idmap__set(&t->by_hash, h, t->nr);
	if (err)
		return err;
	t->entries[t->nr] = (struct entry){ .s = at, .len = len, .next = first };
	*id = t->nr++;
	return 0;
}

size_t strtab__bytes(const struct strtab *t, unsigned percent, size_t more)
{
	size_t nr = t->nr + t->nr * percent / 100 + more;

	return t->chunk_bytes + t->chunk_bytes * percent / 100 + CHUNK_BYTES +
	       array__capacity(t->cap, nr) * sizeof(*t->entries) + idmap__bytes(&t->by_hash, nr);
}

const char *strtab__get(const struct strtab *t, uint32_t id)
{
	return t->entries[id].s;
}

size_t strtab__len(const struct strtab *t, uint32_t id)
{
	return t->entries[id].len;
}

uint32_t strtab__nr(const struct strtab *t)
{
	return t->nr;
}
