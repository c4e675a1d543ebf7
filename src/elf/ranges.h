/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/ranges.h - address ranges, sorted and made disjoint. The inside of a symtab.
 */
#ifndef PMUTRACE_ELF_RANGES_H
#define PMUTRACE_ELF_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

#define RANGE_MAX_BYTES ((1u << 30) - 1)

/* Before flattening the tag is the owner's; after it, one of these. */
enum range_tag { RANGE_WHOLE, RANGE_PIECE };

struct range {
	uint64_t addr;
	uint32_t size : 30; /* 0: up to the next range */
	uint32_t tag : 2;
	uint32_t name; /* the owner's; of a RANGE_PIECE: index of the whole */
};

_Static_assert(sizeof(struct range) == 16, "half a million symbols are 8 MB");

/* The first byte behind; of a range without a size: its start. */
static inline uint64_t range__end(const struct range *r)
{
	return r->addr + r->size;
}

/* By address, stable. 0 or -ENOMEM. */
int ranges__sort(struct range *ranges, size_t nr) must_check;

/**
 * ranges__flatten() - make sorted ranges disjoint: what two share is the later one's
 * @ranges: replaced when anything overlaps; a range without a size must not start inside
 *	    of one that has one
 * @whole:  what became of ranges that are covered in part: a RANGE_PIECE's name is an index
 *	    into these; owned by the caller
 *
 * Return: 0, or -ENOMEM and nothing has changed.
 */
int ranges__flatten(struct range **ranges, size_t *nr, struct range **whole,
		    size_t *nr_whole) must_check;

#endif
