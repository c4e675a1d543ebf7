// SPDX-License-Identifier: BSD-2-Clause
/* Words and numbers that all formats of a difference have in common. */
#include <math.h>

#include "print/diff.h"

const char *diff__unit_name(enum tally_unit unit)
{
	static const char *const names[] = {
		[TALLY_AUTO] = "auto",	     [TALLY_SAMPLES] = "samples",
		[TALLY_THREADS] = "threads", [TALLY_WINDOWS] = "windows",
		[TALLY_RUNS] = "runs",
	};

	return names[unit];
}

enum tally_unit diff__unit(const struct difference *d)
{
	return d->sides[0].of < d->sides[1].of ? d->sides[0].of : d->sides[1].of;
}

const char *diff__verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_CHANGED] = "changed",
		[VERDICT_UNSURE] = "unsure",
		[VERDICT_CANNOT_TELL] = "cannot-tell",
		[VERDICT_TOO_FEW] = "too-few",
	};

	return names[verdict];
}

double diff__half(const struct difference *d, const struct difference_row *row)
{
	return d->contrast.critical * contrast_rate__error(&row->r, 1);
}
