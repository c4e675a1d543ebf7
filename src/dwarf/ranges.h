/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/ranges.h - the addresses of an entry: from low to high, or a list of ranges.
 *
 * Code that the linker left out has no address, but its debug information is there all the same:
 * its addresses are 0, 1, or the largest ones (tombstones). What does not begin inside of the
 * program's code is passed over.
 * Source: DWARF 4, section 2.17.3; DWARF 5, section 2.17.3.
 */
#ifndef PMUTRACE_DWARF_RANGES_H
#define PMUTRACE_DWARF_RANGES_H

#include "dwarf/die.h"

/* Where the program has code: what begins at low or above, and below high. */
struct text {
	uint64_t low, high;
};

struct ranges {
	const struct bases *bases;
	const struct text *text;
	struct dwarf_cursor list;
	uint64_t base;
	bool dead; /* the base is a tombstone */
	bool in_list, in_rnglist;
	uint64_t low, high; /* without a list: the only range; none if they are equal */
};

/* Those of an entry; of one without addresses there are none. */
void ranges__begin(struct ranges *r, const struct bases *b, const struct text *text,
		   const struct die *die);

/* The next range, which is not empty. False: there is no other, or the list is damaged. */
bool ranges__next(struct ranges *r, uint64_t *low, uint64_t *high);

#endif
