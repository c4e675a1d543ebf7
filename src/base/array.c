// SPDX-License-Identifier: BSD-2-Clause
/* Doubles an array's capacity until what is needed fits. */
#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

enum { FIRST = 16 };

size_t array__capacity(size_t cap, size_t need)
{
	size_t want = cap ? cap : FIRST;

	if (need <= cap)
		return cap;
	while (want < need && want <= SIZE_MAX / 2)
		want *= 2;
	return want;
}

int array__grow_bytes(void **items, size_t *cap, size_t need, size_t item_bytes)
{
	size_t want = array__capacity(*cap, need), bytes;
	void *p;

	if (need <= *cap)
		return 0;
	if (want < need)
		return -EOVERFLOW;
	if (__builtin_mul_overflow(want, item_bytes, &bytes))
		return -EOVERFLOW;
	p = realloc(*items, bytes);
	if (!p)
		return -ENOMEM;
	*items = p;
	*cap = want;
	return 0;
}
