// SPDX-License-Identifier: BSD-2-Clause
/* Sum, average, minimum and maximum of a metric over a line: computed, and as texts. */
#include "print/measure.h"

#include <inttypes.h>
#include <stdio.h>

const char *measure__name(enum measure what)
{
	switch (what) {
	case MEASURE_SUM:
		return "sum";
	case MEASURE_AVG:
		return "avg";
	case MEASURE_MIN:
		return "min";
	case MEASURE_MAX:
		return "max";
	case MEASURE_END:
		break;
	}
	return "";
}

/* The largest distance of a value from 0; an unsigned max is kept in the bits of a signed one. */
static uint64_t farthest(const struct measured *m)
{
	const uint64_t max = m->value.max, min = m->value.min;
	const uint64_t low = m->value.min < 0 ? -min : min, high = m->value.max < 0 ? -max : max;

	if (!m->metric->is_signed)
		return max;
	return low > high ? low : high;
}

bool measured__is_summed(const struct measured *m)
{
	const uint64_t most = m->metric->is_signed ? INT64_MAX : UINT64_MAX;

	return (unsigned __int128)farthest(m) * m->samples <= most;
}

double measured__avg(const struct measured *m)
{
	const uint64_t sum = m->value.sum;

	return (m->metric->is_signed ? (double)(int64_t)sum : (double)sum) / (double)m->samples;
}

static int64_t whole(const struct measured *m, enum measure what)
{
	if (what == MEASURE_MIN)
		return m->value.min;
	return what == MEASURE_MAX ? m->value.max : (int64_t)m->value.sum;
}

void measured__text(const struct measured *m, enum measure what, int decimals,
		    char digits[MEASURE_DIGITS])
{
	if ((what == MEASURE_SUM || what == MEASURE_AVG) && !measured__is_summed(m))
		snprintf(digits, MEASURE_DIGITS, "-");
	else if (what == MEASURE_AVG)
		snprintf(digits, MEASURE_DIGITS, "%.*f", decimals, measured__avg(m));
	else if (m->metric->is_signed)
		snprintf(digits, MEASURE_DIGITS, "%" PRId64, whole(m, what));
	else
		snprintf(digits, MEASURE_DIGITS, "%" PRIu64, (uint64_t)whole(m, what));
}
