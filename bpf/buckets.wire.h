/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * buckets.wire.h - how a number becomes the bucket of a histogram, a word of the key.
 */
#ifndef PMUTRACE_BUCKETS_WIRE_H
#define PMUTRACE_BUCKETS_WIRE_H

#include <linux/types.h>

enum buckets_kind {
	BUCKETS_NONE,
	/* 0: 0; n > 0: 2^(n-1) to 2^n - 1; 63: 2^62 and above; -1: below 0 */
	BUCKETS_LOG2,
	/* n: lo + n * step and on, below hi; -1: below lo; (hi - lo) / step: hi and above */
	BUCKETS_LINEAR,
};

struct buckets_linear {
	__s64 lo, hi;
	__u64 step;
	__u64 above; /* (hi - lo) / step, without a rest */
};

#endif
