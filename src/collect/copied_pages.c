// SPDX-License-Identifier: BSD-2-Clause
#include "collect/copied_pages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { HASHES = 1 << 12 };

static struct copied_page **place_of(const struct copied_pages *p, uint32_t tgid, uint64_t address)
{
	const uint64_t key = address / UNWIND_COPY_PAGE_BYTES ^ (uint64_t)tgid << 40;

	return &p->by_hash[hash_u64(key ^ p->seed) % HASHES];
}

static bool holds(const struct copied_page *page, size_t first, const uint8_t *bytes, size_t len)
{
	return !memcmp(page->bytes + first, bytes, len);
}

/* The last one of that address, if it is the same: older ones seldom come back. */
static struct copied_page *find(struct copied_page *page, uint32_t tgid, uint64_t address,
				size_t first, const uint8_t *bytes, size_t len)
{
	while (page && (page->tgid != tgid || page->address != address))
		page = page->next;
	return page && holds(page, first, bytes, len) ? page : NULL;
}

const struct copied_page *copied_pages__keep(struct copied_pages *p, uint32_t tgid,
					     uint64_t address, size_t first, const uint8_t *bytes,
					     size_t len)
{
	struct copied_page **place, *page;

	if (!p->by_hash) {
		p->seed = hash_seed();
		p->by_hash = calloc(HASHES, sizeof(struct copied_page *));
	}
	if (!p->by_hash)
		return NULL;
	place = place_of(p, tgid, address);
	page = find(*place, tgid, address, first, bytes, len);
	if (!page) {
		page = calloc(1, sizeof(*page));
		if (!page)
			return NULL;
		memcpy(page->bytes + first, bytes, len);
		page->tgid = tgid;
		page->address = address;
		page->next = *place;
		*place = page;
		p->nr++;
	}
	page->nr_users++;
	return page;
}

void copied_pages__give_back(struct copied_pages *p, const struct copied_page *page)
{
	struct copied_page **at = place_of(p, page->tgid, page->address);
	struct copied_page *found;

	while (*at != page)
		at = &(*at)->next;
	found = *at;
	if (--found->nr_users)
		return;
	*at = found->next;
	free(found);
	p->nr--;
}

void copied_pages__end(struct copied_pages *p)
{
	free(p->by_hash);
	*p = (struct copied_pages){};
}
