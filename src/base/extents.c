// SPDX-License-Identifier: BSD-2-Clause
#include "base/extents.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int extents__init(struct extents *e, uint32_t nr)
{
	int err;

	*e = (struct extents){};
	err = array__grow(&e->free, &e->cap, 1);
	if (err)
		return err;
	e->free[0] = (struct extent){ 0, nr };
	e->nr = nr ? 1 : 0;
	e->nr_free = nr;
	return 0;
}

void extents__end(struct extents *e)
{
	free(e->free);
	*e = (struct extents){};
}

static void remove_hole(struct extents *e, size_t i)
{
	e->nr--;
	memmove(&e->free[i], &e->free[i + 1], (e->nr - i) * sizeof(*e->free));
}

static uint32_t take_of(struct extents *e, size_t i, uint32_t nr)
{
	struct extent *hole = &e->free[i];
	const uint32_t first = hole->first;

	hole->first += nr;
	hole->nr -= nr;
	e->nr_free -= nr;
	if (!hole->nr)
		remove_hole(e, i);
	return first;
}

int extents__take(struct extents *e, uint32_t nr, uint32_t *first)
{
	*first = 0;
	if (!nr)
		return 0;
	for (size_t i = 0; i < e->nr; i++) {
		if (e->free[i].nr < nr)
			continue;
		*first = take_of(e, i, nr);
		return 0;
	}
	return -ENOSPC;
}

int extents__take_some(struct extents *e, uint32_t least, uint32_t most, struct extent *out)
{
	size_t best = 0;

	*out = (struct extent){};
	for (size_t i = 0; i < e->nr && e->free[best].nr < most; i++)
		if (e->free[i].nr > e->free[best].nr)
			best = i;
	if (!e->nr || e->free[best].nr < least)
		return -ENOSPC;
	out->nr = e->free[best].nr < most ? e->free[best].nr : most;
	out->first = take_of(e, best, out->nr);
	return 0;
}

int extents__give(struct extents *e, uint32_t first, uint32_t nr)
{
	size_t i = 0;
	int err;

	if (!nr)
		return 0;
	while (i < e->nr && e->free[i].first < first)
		i++;
	if (i && e->free[i - 1].first + e->free[i - 1].nr == first) {
		e->free[--i].nr += nr;
	} else {
		err = array__grow(&e->free, &e->cap, e->nr + 1);
		if (err)
			return err;
		memmove(&e->free[i + 1], &e->free[i], (e->nr - i) * sizeof(*e->free));
		e->free[i] = (struct extent){ first, nr };
		e->nr++;
	}
	e->nr_free += nr;
	if (i + 1 < e->nr && e->free[i].first + e->free[i].nr == e->free[i + 1].first) {
		e->free[i].nr += e->free[i + 1].nr;
		remove_hole(e, i + 1);
	}
	return 0;
}
