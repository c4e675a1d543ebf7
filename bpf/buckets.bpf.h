/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * buckets.bpf.h - finds the bucket of a histogram that a number belongs to; buckets.wire.h has the
 * kinds of buckets.
 */
#ifndef PMUTRACE_BUCKETS_BPF_H
#define PMUTRACE_BUCKETS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "buckets.wire.h"

static __always_inline __u64 bucket_log2(__u64 v, int is_signed)
{
	__u64 n = 0;

	if (is_signed && (__s64)v < 0)
		return -1;
	if (v >= 1ull << 62)
		return 63;
	for (int bits = 32; bits; bits /= 2) {
		__u64 high = v >> bits;

		if (high) {
			n += bits;
			v = high;
		}
	}
	return n + (v ? 1 : 0);
}

static __always_inline __u64 bucket_linear(__u64 v, int is_signed,
					   const volatile struct buckets_linear *l)
{
	__s64 n = v;

	if (!is_signed && n < 0) /* 2^63 and above */
		return l->above;
	if (n < l->lo)
		return -1;
	if (n >= l->hi)
		return l->above;
	return (v - (__u64)l->lo) / l->step;
}

#endif
