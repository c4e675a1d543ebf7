/* SPDX-License-Identifier: BSD-2-Clause */
/* print/range.h - the range of a bucket, for people. */
#ifndef PMUTRACE_PRINT_RANGE_H
#define PMUTRACE_PRINT_RANGE_H

#include <stdint.h>

#include "model/buckets.h"

enum { RANGE_CHARS = 64 };

/*
 * Bucket @n: "[4, 7]" (inclusive), "[1]", "< 0", ">= 1000". Times are "[256ns, 512ns)": up to, not
 * with, the end; of powers of two with three digits, which are rounded: "[1.02us, 2.05us)".
 */
void range__text(const struct buckets *b, int64_t n, char text[RANGE_CHARS]);

#endif
