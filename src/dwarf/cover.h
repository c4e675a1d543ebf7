/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/cover.h - which of many ranges covers an address.
 *
 * Ranges may lie in each other (an inlined function in another one) or overlap (a function that the
 * linker kept one copy of). They are made into ranges that do not overlap: one binary search tells.
 */
#ifndef PMUTRACE_DWARF_COVER_H
#define PMUTRACE_DWARF_COVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"

struct cover_range {
	uint64_t low, high; /* [low, high) */
	uint64_t rank; /* where several cover an address, the highest counts; then the lowest id */
	uint32_t id;
};

/* Zero-initialise it. May be filled again when a cover has been built of it: then nr is 0. */
struct cover_ranges {
	struct cover_range *all, *spare;
	size_t nr, cap, cap_spare;
};

#define COVER_NONE UINT32_MAX

/* Zero-initialise it. */
struct cover {
	uint64_t *starts;
	uint32_t *ids; /* from starts[i] to starts[i + 1]; COVER_NONE: a gap */
	size_t nr;
};

/* Uses up @ranges; lives in @memory. Return: 0; -EFBIG: more than 2^31; -ENOMEM. */
int cover__build(struct cover *out, struct cover_ranges *ranges, struct arena *memory) must_check;

/* 0 or -ENOMEM. */
int cover_ranges__add(struct cover_ranges *r, struct cover_range range) must_check;
void cover_ranges__free(struct cover_ranges *r);

/* The id of what covers @addr, or COVER_NONE. */
uint32_t cover__find(const struct cover *c, uint64_t addr);

/* Memory that it takes. */
size_t cover__bytes(const struct cover *c);

#endif
