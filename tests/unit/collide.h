/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys that a stranger makes who knows our hash: without a seed they all fall into one place. */
#ifndef TESTS_UNIT_COLLIDE_H
#define TESTS_UNIT_COLLIDE_H

#include <stdint.h>
#include <time.h>

#include "base/hash.h"

/* Milliseconds of CPU time; of so many keys each other one walked past would take some thousands.
 */
enum { MANY_KEYS = 100000, QUICK_MS = 1000 };

static inline unsigned cpu_ms(void)
{
	return clock() / (CLOCKS_PER_SEC / 1000);
}

/* hash_u64(unhash_u64(h)) == h */
static inline uint64_t unhash_u64(uint64_t h)
{
	const uint64_t factor = 0xd6e8feb86659fd93ull;
	uint64_t inverse = factor; /* of 3 bits; each step doubles them */

	for (int i = 0; i < 5; i++)
		inverse *= 2 - factor * inverse;
	h ^= h >> 32;
	h *= inverse;
	h ^= h >> 32;
	h *= inverse;
	return h ^ h >> 32;
}

#endif
