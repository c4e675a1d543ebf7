// SPDX-License-Identifier: BSD-2-Clause
/* How many tasks the tables of probe/top.h get room for by default, and the bytes they take. */
#include "probe/top_keys.h"

#include "sample.wire.h"
#include "table.wire.h"

/* Keys: of all CPUs, least and most of one for new tasks; most of one for all tasks there are. */
enum { KEYS_TOTAL = 16384, KEYS_MIN = 512, KEYS_MAX = 2048, KEYS_MOST = 16384 };

/*
 * Virtual machines may be told of hundreds of CPUs that never come: there the tables take this part
 * of the memory at most, but have room for some keys.
 */
enum { MEMORY_PART = 32, KEYS_LEAST = 64 };

/* As tables__size() has it: four slots for a key, a power of two; whole chunks of the store. */
uint64_t top_keys__bytes(uint64_t keys, size_t nr_places, uint32_t nr_values)
{
	const uint64_t chunk = sizeof(struct table_chunk);
	uint64_t slots = 8, store = keys * (TABLE_RECORD_WORDS + SAMPLE_KEY_WORDS) * 8;

	while (slots < keys * 4)
		slots *= 2;
	return nr_places * TABLE_GENERATIONS *
	       (slots * sizeof(struct table_slot) + keys * nr_values * sizeof(struct table_value) +
		(store + chunk - 1) / chunk * chunk);
}

/*
 * The more CPUs there are the fewer tasks has each: they go round. All may run in the same moment:
 * thousands that wake up together.
 */
static uint64_t wanted(const struct top_machine *m)
{
	uint64_t keys = KEYS_TOTAL / m->nr_cpus, most = 2 * m->nr_tasks / m->nr_cpus;

	keys = keys < KEYS_MIN ? KEYS_MIN : keys > KEYS_MAX ? KEYS_MAX : keys;
	most = most > KEYS_MOST ? KEYS_MOST : most;
	return keys > most ? keys : most;
}

uint64_t top_keys__default(const struct top_machine *m, uint32_t nr_values)
{
	uint64_t keys = wanted(m), fit = KEYS_MOST;

	while (m->memory_bytes && fit > KEYS_LEAST &&
	       top_keys__bytes(fit, m->nr_places, nr_values) > m->memory_bytes / MEMORY_PART)
		fit /= 2;
	return keys < fit ? keys : fit;
}
