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

/* PAGE_BYTES: of large ones on x86_64, and on arm64 with small ones of 4096. */
enum { LARGE_BYTES = 256 << 10, PAGE_BYTES = 2 << 20 };

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

	if (bytes < LARGE_BYTES)
		return malloc(bytes);
	if (bytes < PAGE_BYTES) {
		at = malloc(bytes);
	} else {
		at = aligned_alloc(PAGE_BYTES,
				   (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1));
		if (at)
			(void)!madvise(at, bytes, MADV_HUGEPAGE);
	}
	if (at)
		pages__populate(at, bytes);
	return at;
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
