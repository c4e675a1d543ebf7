/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/tuples.h - distinct tuples of words, numbered in order of appearance.
 *
 * All have as many words as the first. Equal words get the same id.
 */
#ifndef PMUTRACE_MODEL_TUPLES_H
#define PMUTRACE_MODEL_TUPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/idmap.h"

/* Zero-initialise it, set the width; tuples__free() gives the memory back. */
struct tuples {
	size_t width; /* words of each */
	uint64_t *words;
	size_t nr, cap_words;
	uint64_t seed;	      /* of the hash; 0: none yet */
	struct idmap by_hash; /* hash -> the latest tuple of that hash */
	uint32_t *next;	      /* by id: the tuple before it of the same hash */
	size_t cap_next;
};

/* @words: t->width of them, copied. 0 or -ENOMEM. */
int tuples__add(struct tuples *t, const uint64_t *words, uint32_t *id) must_check;

/* The id, if they are there. */
bool tuples__find(const struct tuples *t, const uint64_t *words, uint32_t *id);

/* Memory that it takes at most until it has @nr tuples. */
size_t tuples__bytes(const struct tuples *t, size_t nr);

/* t->width words, borrowed until the next tuples__add(). */
const uint64_t *tuples__get(const struct tuples *t, uint32_t id);
void tuples__free(struct tuples *t);

#endif
