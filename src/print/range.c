// SPDX-License-Identifier: BSD-2-Clause
/* Writes the range of a histogram's bucket: integers, exact times, or rounded times. */
#include "print/range.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/readable.h"

enum { BOUND_CHARS = 28 };

static const struct unit {
	int64_t ns;
	const char *name;
} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };

/* All bounds in one unit, the largest that needs no decimals. */
static void put_exact(const struct buckets *b, int64_t ns, char text[BOUND_CHARS])
{
	size_t i = 0;

	while (b->lo % units[i].ns || b->hi % units[i].ns || b->step % units[i].ns)
		i++;
	snprintf(text, BOUND_CHARS, "%" PRId64 "%s", ns / units[i].ns, units[i].name);
}

static void put_bound(const struct buckets *b, int64_t n, char text[BOUND_CHARS])
{
	if (strcmp(b->unit, "ns"))
		snprintf(text, BOUND_CHARS, "%" PRId64, n);
	else if (b->linear)
		put_exact(b, n, text);
	else
		readable__time(n, text); /* of powers of two: 0 or more */
}

void range__text(const struct buckets *b, int64_t n, char text[RANGE_CHARS])
{
	const struct bucket x = buckets__range(b, n);
	const bool is_time = !strcmp(b->unit, "ns");
	char from[BOUND_CHARS], to[BOUND_CHARS];

	put_bound(b, x.from, from);
	put_bound(b, x.open_above ? 0 : x.to + (is_time || x.open_below), to);
	if (x.open_below)
		snprintf(text, RANGE_CHARS, "< %s", to);
	else if (x.open_above)
		snprintf(text, RANGE_CHARS, ">= %s", from);
	else if (is_time)
		snprintf(text, RANGE_CHARS, "[%s, %s)", from, to);
	else if (x.from == x.to)
		snprintf(text, RANGE_CHARS, "[%s]", from);
	else
		snprintf(text, RANGE_CHARS, "[%s, %s]", from, to);
}
