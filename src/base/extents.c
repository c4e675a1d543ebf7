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

int extents__take(struct extents *e, uint32_t nr, uint32_t *first)
{
	for (size_t i = 0; i < e->nr; i++) {
		struct extent *hole = &e->free[i];

		if (hole->nr < nr)
			continue;
		*first = hole->first;
		hole->first += nr;
		hole->nr -= nr;
		e->nr_free -= nr;
		if (!hole->nr)
			remove_hole(e, i);
		return 0;
	}
	*first = 0;
	return nr ? -ENOSPC : 0;
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
