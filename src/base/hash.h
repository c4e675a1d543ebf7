/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/hash.h - hashes of words and bytes, with a seed against collisions that strangers choose.
 *
 * Keys come from recordings and from programs that are watched. Whoever knows the hash can make
 * keys that all fall into one place, and a table of them takes n^2 steps: so each table has a seed,
 * that of its process. No result and no order may depend on it: tables are asked, never listed.
 */
#ifndef PMUTRACE_BASE_HASH_H
#define PMUTRACE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Random, the same for the life of the process. From AT_RANDOM, without giving that away. */
uint64_t hash_seed(void);

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

/* @seed: hash_seed(); 0: the same in every process, collisions can be chosen. */
static inline uint64_t hash_bytes(uint64_t seed, const char *s, size_t len)
{
	uint64_t h = (seed + len) * 0x9e3779b97f4a7c15ull, word;

	for (; len >= 8; s += 8, len -= 8) {
		memcpy(&word, s, 8);
		h = hash_u64(h ^ word);
	}
	word = 0;
	memcpy(&word, s, len);
	return hash_u64(h ^ word);
}

#endif
