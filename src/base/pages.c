// SPDX-License-Identifier: BSD-2-Clause
#include "base/pages.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

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

int pages__grow_bytes(void **items, size_t *cap, size_t need, size_t item_bytes)
{
	const size_t had = *cap;
	int err = array__grow_bytes(items, cap, need, item_bytes);

	if (!err && (*cap - had) * item_bytes >= LARGE_BYTES)
		pages__populate((char *)*items + had * item_bytes, (*cap - had) * item_bytes);
	return err;
}
