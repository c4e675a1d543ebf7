/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of a known sequence (xorshift): a test that fails with them fails again. */
#ifndef TESTS_UNIT_ANY_NUMBER_H
#define TESTS_UNIT_ANY_NUMBER_H

#include <stdint.h>

static inline uint64_t any_number(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

#endif
