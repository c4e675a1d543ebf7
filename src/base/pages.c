// SPDX-License-Identifier: BSD-2-Clause
#include "base/pages.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* PAGES_LARGE is what large ones have on x86_64, and on arm64 beside small ones of 4096. */
enum { LARGE_BYTES = 256 << 10 };

void pages__populate(void *at, size_t bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t from = ((uintptr_t)at + page - 1) & ~(page - 1);
	const uintptr_t to = ((uintptr_t)at + bytes) & ~(page - 1);
	const int saved = errno;

	if (from < to)
		(void)!madvise((char *)at + (from - (uintptr_t)at), to - from, MADV_POPULATE_WRITE);
	errno = saved;
}

void *pages__alloc(size_t bytes)
{
	void *at;

	if (bytes < PAGES_LARGE || bytes > SIZE_MAX - PAGES_LARGE) {
		at = malloc(bytes);
	} else {
		at = aligned_alloc(PAGES_LARGE,
				   (bytes + PAGES_LARGE - 1) & ~(size_t)(PAGES_LARGE - 1));
		if (at)
			(void)!madvise(at, bytes, MADV_HUGEPAGE);
	}
	if (at && bytes >= LARGE_BYTES)
		pages__populate(at, bytes);
	return at;
}

/* aligned_alloc() would keep another page beside it, which limits of memory count. */
void *pages__map_large(void)
{
	char *all = mmap(NULL, 2 * PAGES_LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0),
	     *at;

	if (all == MAP_FAILED)
		return NULL;
	at = all + (-(uintptr_t)all & (PAGES_LARGE - 1));
	if (at > all)
		munmap(all, at - all);
	munmap(at + PAGES_LARGE, all + PAGES_LARGE - at);
	(void)!madvise(at, PAGES_LARGE, MADV_HUGEPAGE);
	pages__populate(at, PAGES_LARGE);
	return at;
}

void pages__unmap_large(void *at)
{
	if (at)
		munmap(at, PAGES_LARGE);
}

int pages__reserve_bytes(void **items, size_t *cap, size_t nr, size_t item_bytes)
{
	size_t bytes;

	if (*cap || !nr)
		return 0;
	*items = __builtin_mul_overflow(nr, item_bytes, &bytes) ? NULL : pages__alloc(bytes);
	if (!*items)
		return -ENOMEM;
	*cap = nr;
	return 0;
}

int pages__grow_bytes(void **items, size_t *cap, size_t need, size_t item_bytes)
{
	const size_t had = *cap;
	int err = array__grow_bytes(items, cap, need, item_bytes);

	if (!err && (*cap - had) * item_bytes >= LARGE_BYTES)
		pages__populate((char *)*items + had * item_bytes, (*cap - had) * item_bytes);
	return err;
}
