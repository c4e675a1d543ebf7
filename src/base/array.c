// SPDX-License-Identifier: BSD-2-Clause
#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int array__grow_bytes(void **items, size_t *cap, size_t need, size_t item_bytes)
{
	size_t want = *cap ? *cap : 16, bytes;
	void *p;

	if (need <= *cap)
		return 0;
	while (want < need) {
		if (want > SIZE_MAX / 2)
			return -EOVERFLOW;
		want *= 2;
	}
	if (__builtin_mul_overflow(want, item_bytes, &bytes))
		return -EOVERFLOW;
	p = realloc(*items, bytes);
	if (!p)
		return -ENOMEM;
	*items = p;
	*cap = want;
	return 0;
}
