/* SPDX-License-Identifier: BSD-2-Clause */
/* print/measure.h - what is shown of a metric over the samples of a row, as texts. */
#ifndef PMUTRACE_PRINT_MEASURE_H
#define PMUTRACE_PRINT_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"

/* Bits, in the order they are shown. */
enum measure {
	MEASURE_SUM = 1 << 0,
	MEASURE_AVG = 1 << 1,
	MEASURE_MIN = 1 << 2,
	MEASURE_MAX = 1 << 3,
	MEASURE_END = 1 << 4, /* for loops over them */
};

enum { MEASURE_DIGITS = 32 };

/* Over the samples of a line. */
struct measured {
	const struct profile_metric *metric;
	struct profile_value value;
	uint64_t samples; /* not 0 */
};

/* "sum", ... */
const char *measure__name(enum measure what);

/*
 * The sum cannot have overflowed: samples * the largest value fits its 64 bits. Else sum and mean
 * are not known.
 */
bool measured__is_summed(const struct measured *m);

double measured__avg(const struct measured *m);

/* @decimals of the average; the others are whole numbers. "-": not known. */
void measured__text(const struct measured *m, enum measure what, int decimals,
		    char digits[MEASURE_DIGITS]);

#endif
