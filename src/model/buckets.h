/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/buckets.h - the ranges of a histogram by number, as bpf/count.wire.h numbers them.
 */
#ifndef PMUTRACE_MODEL_BUCKETS_H
#define PMUTRACE_MODEL_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

struct buckets {
	bool linear;	      /* else powers of two */
	int64_t lo, hi, step; /* of linear ones: step > 0, lo < hi */
	const char *metric;   /* whose values they are of; interned in the profile */
	const char *unit;
};

/* Both ends are inclusive. */
struct bucket {
	int64_t from, to;
	bool open_below, open_above; /* there is no such end */
};

/* The numbers that bucket @n has. */
struct bucket buckets__range(const struct buckets *b, int64_t n);

#endif
