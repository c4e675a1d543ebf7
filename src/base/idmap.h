/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/idmap.h - a map from 64-bit keys to 32-bit ids: open addressing, no deletion.
 *
 * Zero-initialise it; idmap__free() gives the memory back. Any key is allowed.
 */
#ifndef PMUTRACE_BASE_IDMAP_H
#define PMUTRACE_BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"

struct idmap_slot;

struct idmap {
	struct idmap_slot *slots;
	size_t nr;   /* entries */
	size_t mask; /* slots - 1; 0 while empty */
};

/* True if the key is known; *id is written only then. */
bool idmap__get(const struct idmap *m, uint64_t key, uint32_t *id);

/* Adds the key or replaces its id. 0 or -ENOMEM. */
int idmap__set(struct idmap *m, uint64_t key, uint32_t id) must_check;
void idmap__clear(struct idmap *m);
void idmap__free(struct idmap *m);

/* A 64-bit finalizer (bijective): every input bit reaches every output bit. */
static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	return x;
}

static inline uint64_t hash_bytes(const char *s, size_t len)
{
	uint64_t h = len * 0x9e3779b97f4a7c15ull, word;

	for (; len >= 8; s += 8, len -= 8) {
		memcpy(&word, s, 8);
		h = hash_u64(h ^ word);
	}
	word = 0;
	memcpy(&word, s, len);
	return hash_u64(h ^ word);
}

#endif
