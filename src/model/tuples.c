// SPDX-License-Identifier: BSD-2-Clause
/* Stores tuples in one array, and finds them by hash. */
#include "model/tuples.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { NONE = UINT32_MAX };

static uint64_t hash_words(const struct tuples *t, const uint64_t *words)
{
	uint64_t h = t->seed ^ t->width;

	for (size_t i = 0; i < t->width; i++)
		h = hash_u64(h ^ words[i]) + i;
	return h;
}

/* *last: the latest tuple with the same hash; NONE: there is none. */
static bool find(const struct tuples *t, uint64_t h, const uint64_t *words, uint32_t *last,
		 uint32_t *id)
{
	size_t bytes = t->width * sizeof(*words);

	*last = NONE;
	if (idmap__get(&t->by_hash, h, last))
		for (*id = *last; *id != NONE; *id = t->next[*id])
			if (!bytes || !memcmp(tuples__get(t, *id), words, bytes))
				return true;
	return false;
}

bool tuples__find(const struct tuples *t, const uint64_t *words, uint32_t *id)
{
	uint32_t last;

	return find(t, hash_words(t, words), words, &last, id);
}

size_t tuples__bytes(const struct tuples *t, size_t nr)
{
	return array__capacity(t->cap_words, nr * t->width) * sizeof(*t->words) +
	       array__capacity(t->cap_next, nr) * sizeof(*t->next) + idmap__bytes(&t->by_hash, nr);
}

int tuples__add(struct tuples *t, const uint64_t *words, uint32_t *id)
{
	size_t bytes = t->width * sizeof(*words);
	uint32_t last;
	uint64_t h;
	int err;

	if (!t->seed)
		t->seed = hash_seed();
	h = hash_words(t, words);
	if (find(t, h, words, &last, id))
		return 0;
	err = array__grow(&t->words, &t->cap_words, (t->nr + 1) * t->width + 1);
	if (!err)
		err = array__grow(&t->next, &t->cap_next, t->nr + 1);
	if (!err)
		err = idmap__set(&t->by_hash, h, t->nr);
	if (err)
		return err;
	if (bytes)
		memcpy(&t->words[t->nr * t->width], words, bytes);
	t->next[t->nr] = last;
	*id = t->nr++;
	return 0;
}

const uint64_t *tuples__get(const struct tuples *t, uint32_t id)
{
	return &t->words[id * t->width];
}

void tuples__free(struct tuples *t)
{
	idmap__free(&t->by_hash);
	free(t->words);
	free(t->next);
	*t = (struct tuples){};
}
