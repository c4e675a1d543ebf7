/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/idmap.h - a map from 64-bit keys to 32-bit ids: open addressing, no deletion.
 *
 * Zero-initialise it; idmap__free() gives the memory back. Any key is allowed, and no choice of
 * keys makes it slow.
 */
#ifndef PMUTRACE_BASE_IDMAP_H
#define PMUTRACE_BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct idmap_slot;

struct idmap {
	struct idmap_slot *slots;
	size_t nr;	 /* entries */
	size_t mask;	 /* slots - 1; 0 while empty */
	uint64_t factor; /* odd and random */
};

/* True if the key is known; *id is written only then. */
bool idmap__get(const struct idmap *m, uint64_t key, uint32_t *id);

/* Adds the key or replaces its id. 0 or -ENOMEM. */
int idmap__set(struct idmap *m, uint64_t key, uint32_t id) must_check;
void idmap__clear(struct idmap *m);

/* Room for so many entries in all from now on, also after a clear. 0 or -ENOMEM. */
int idmap__reserve(struct idmap *m, size_t nr) must_check;

/* Bytes that it takes at most while it grows to @nr entries: for a while with the old slots. */
size_t idmap__bytes(const struct idmap *m, size_t nr);
void idmap__free(struct idmap *m);

#endif
