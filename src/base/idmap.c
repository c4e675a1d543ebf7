// SPDX-License-Identifier: BSD-2-Clause
/* A hash table with linear probing that doubles when it is three quarters full. */
#include "base/idmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { FIRST_SLOTS = 64 };

struct idmap_slot {
	uint64_t key;
	uint32_t id;
	uint32_t used;
};

/*
 * The top bits of a product with a random odd number: whatever two keys are chosen, they share a
 * slot with a chance of two in the number of slots at most (Dietzfelbinger et al. 1997, "A Reliable
 * Randomized Algorithm for the Closest-Pair Problem").
 */
static size_t first_slot(const struct idmap *m, uint64_t key)
{
	return hash_u64(key) * m->factor >> __builtin_clzll(m->mask);
}

/* The slot that holds the key, or the empty one where it belongs. */
static struct idmap_slot *find_slot(const struct idmap *m, uint64_t key)
{
	size_t i = first_slot(m, key);

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

static int grow(struct idmap *m)
{
	size_t nr_slots = m->slots ? (m->mask + 1) * 2 : FIRST_SLOTS, i;
	struct idmap bigger = { .nr = m->nr, .mask = nr_slots - 1, .factor = m->factor };

	bigger.slots = calloc(nr_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	if (!m->slots)
		bigger.factor = hash_seed() | 1;
	for (i = 0; m->slots && i <= m->mask; i++)
		if (m->slots[i].used)
			*find_slot(&bigger, m->slots[i].key) = m->slots[i];
	free(m->slots);
	*m = bigger;
	return 0;
}

bool idmap__get(const struct idmap *m, uint64_t key, uint32_t *id)
{
	const struct idmap_slot *s;

	if (!m->slots)
		return false;
	s = find_slot(m, key);
	if (!s->used)
		return false;
	*id = s->id;
	return true;
}

int idmap__reserve(struct idmap *m, size_t nr)
{
	int err = 0;

	/* At most three quarters full: a probe stays short. */
	while (!err && nr && (!m->slots || nr * 4 > (m->mask + 1) * 3))
		err = grow(m);
	return err;
}

int idmap__set(struct idmap *m, uint64_t key, uint32_t id)
{
	struct idmap_slot *s;
	int err = idmap__reserve(m, m->nr + 1);

	if (err)
		return err;
	s = find_slot(m, key);
	m->nr += !s->used;
	*s = (struct idmap_slot){ .key = key, .id = id, .used = 1 };
	return 0;
}

void idmap__clear(struct idmap *m)
{
	if (m->slots)
		memset(m->slots, 0, (m->mask + 1) * sizeof(*m->slots));
	m->nr = 0;
}

size_t idmap__bytes(const struct idmap *m, size_t nr)
{
	size_t now = m->slots ? m->mask + 1 : 0, nr_slots = now ? now : FIRST_SLOTS;

	if (!now && !nr)
		return 0;
	while (nr * 4 > nr_slots * 3)
		nr_slots *= 2;
	return (nr_slots + (nr_slots > now ? nr_slots / 2 : 0)) * sizeof(*m->slots);
}

void idmap__free(struct idmap *m)
{
	free(m->slots);
	*m = (struct idmap){};
}
