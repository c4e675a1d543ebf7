// SPDX-License-Identifier: BSD-2-Clause
/* The seed of this process's hash tables, made from AT_RANDOM. */
#include "base/hash.h"

#include <sys/auxv.h>

#ifdef FIXED_HASH_SEED

/* A fuzzer's input has to take the same way each time. */
uint64_t hash_seed(void)
{
	return FIXED_HASH_SEED;
}

#else

/* The C library guards stacks with the same bytes: neither half of them can be told from this. */
uint64_t hash_seed(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t half[2] = {};

	if (random)
		memcpy(half, random, sizeof(half));
	return hash_u64(hash_u64(half[0]) ^ half[1]);
}

#endif
