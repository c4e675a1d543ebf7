/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/extents.h - which parts of a row of equal places are taken: first fit, neighbours joined.
 *
 * For memory that somebody else reads by index, such as arrays of BPF programs. What is freed may
 * be given out again at once: wait with that for as long as somebody may still read it.
 */
#ifndef PMUTRACE_BASE_EXTENTS_H
#define PMUTRACE_BASE_EXTENTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct extent {
	uint32_t first, nr;
};

struct extents {
	struct extent *free; /* by first; no two of them touch */
	size_t nr, cap;
	uint32_t nr_free; /* places */
};

/* Places 0 to @nr - 1, all free. 0 or -ENOMEM. */
int extents__init(struct extents *e, uint32_t nr) must_check;
void extents__end(struct extents *e);

/* Takes @nr places in a row; none has a first one too. 0; -ENOSPC: no hole is that large. */
int extents__take(struct extents *e, uint32_t nr, uint32_t *first) must_check;

/*
 * Takes as many in a row as there are, @most of them, but not fewer than @least (at least 1): of
 * the first hole that has them all, else of the largest. 0; -ENOSPC.
 */
int extents__take_some(struct extents *e, uint32_t least, uint32_t most,
		       struct extent *out) must_check;

/* Gives back what was taken, or a part of it. 0 or -ENOMEM: then it stays taken. */
int extents__give(struct extents *e, uint32_t first, uint32_t nr) must_check;

#endif
