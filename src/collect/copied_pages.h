/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/copied_pages.h - pages of copied stacks, those that are the same kept once: of a deep
 * stack little changes from one sample to the next.
 *
 * Zero-initialise it. A page is given back as often as it was kept.
 */
#ifndef PMUTRACE_COLLECT_COPIED_PAGES_H
#define PMUTRACE_COLLECT_COPIED_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "unwind.wire.h"

struct copied_page {
	uint8_t bytes[UNWIND_COPY_PAGE_BYTES]; /* first: struct copied_stack points there */
	uint64_t address;
	uint32_t tgid;
	uint32_t nr_users;
	struct copied_page *next; /* of those with the same hash, later ones first */
};

struct copied_pages {
	struct copied_page **by_hash; /* NULL while there is none */
	uint64_t seed;
	size_t nr; /* pages */
};

/*
 * Keeps the page of process @tgid at @address (a multiple of UNWIND_COPY_PAGE_BYTES), of which
 * @len bytes at @bytes are known from @first on; the others are 0. NULL: -ENOMEM.
 */
const struct copied_page *copied_pages__keep(struct copied_pages *p, uint32_t tgid,
					     uint64_t address, size_t first, const uint8_t *bytes,
					     size_t len);
void copied_pages__give_back(struct copied_pages *p, const struct copied_page *page);

/* All have been given back. */
void copied_pages__end(struct copied_pages *p);

#endif
