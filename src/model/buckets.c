// SPDX-License-Identifier: BSD-2-Clause
/* Computes the range of values of a bucket, linear or of powers of two. */
#include "model/buckets.h"

enum { LAST_LOG2 = 63 };

/* @x + @y, which does not leave what an int64_t holds. */
static int64_t add(int64_t x, uint64_t y)
{
	return (int64_t)((uint64_t)x + y);
}

static struct bucket log2_range(int64_t n)
{
	if (!n)
		return (struct bucket){};
	if (n >= LAST_LOG2)
		return (struct bucket){ INT64_C(1) << (LAST_LOG2 - 1), INT64_MAX, false, true };
	return (struct bucket){ INT64_C(1) << (n - 1), (INT64_C(1) << n) - 1, false, false };
}

static struct bucket linear_range(const struct buckets *b, uint64_t n)
{
	uint64_t width = (uint64_t)b->hi - (uint64_t)b->lo, step = b->step, from;

	if (n >= width / step)
		return (struct bucket){ add(b->lo, width / step * step), INT64_MAX, false, true };
	from = n * step;
	return (struct bucket){ add(b->lo, from), add(b->lo, from + step - 1), false, false };
}

struct bucket buckets__range(const struct buckets *b, int64_t n)
{
	int64_t least = b->linear ? b->lo : 0;

	if (n < 0)
		return (struct bucket){ INT64_MIN, least > INT64_MIN ? least - 1 : least, true,
					false };
	return b->linear ? linear_range(b, n) : log2_range(n);
}
