// SPDX-License-Identifier: BSD-2-Clause
/* The words of --lhist, and what a session and a profile need of a histogram. */
#include "plan/histograms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"

enum { BUCKETS_MAX = 1000 };

/* Parses a number that ends in @end, a comma or the end of the text. */
static bool next_number(const char **s, char end, int64_t *out)
{
	char *stop;
	long long n;

	errno = 0;
	n = strtoll(*s, &stop, 0);
	if (errno || stop == *s || *stop != end)
		return false;
	*out = n;
	*s = stop + (end != '\0');
	return true;
}

int histograms__parse(struct buckets *b, const char *text, struct buf *why)
{
	const char *s = text;
	uint64_t width;

	if (!next_number(&s, ',', &b->lo) || !next_number(&s, ',', &b->hi) ||
	    !next_number(&s, '\0', &b->step))
		return why__refuse(why, -EINVAL,
				   "--lhist: '%s': write LO,HI,STEP such as 0,1000,100", text);
	b->linear = true;
	width = (uint64_t)b->hi - (uint64_t)b->lo;
	if (b->lo >= b->hi || b->step <= 0)
		return why__refuse(why, -EINVAL,
				   "--lhist: '%s': LO is to be less than HI, STEP more "
				   "than 0",
				   text);
	if (width % (uint64_t)b->step)
		return why__refuse(why, -EINVAL,
				   "--lhist: '%s': from LO to HI it is not a whole number of "
				   "steps",
				   text);
	if (width / (uint64_t)b->step > BUCKETS_MAX)
		return why__refuse(why, -EINVAL,
				   "--lhist: '%s': more than %d buckets; use a larger STEP", text,
				   BUCKETS_MAX);
	return 0;
}

int histograms__add_field(struct rowkeys *key, const struct buckets *b)
{
	return rowkeys__add(key, b->metric, strlen(b->metric), FIELD_BUCKET, ROWFIELD_WORDS);
}

struct buckets_linear histograms__linear(const struct buckets *b)
{
	return (struct buckets_linear){
		.lo = b->lo,
		.hi = b->hi,
		.step = b->step,
		.above = b->linear ? ((uint64_t)b->hi - (uint64_t)b->lo) / b->step : 0,
	};
}
