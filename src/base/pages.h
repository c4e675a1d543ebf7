/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/pages.h - pages of memory that are about to be written all.
 *
 * The kernel gives each when it is touched first; one by one that takes several times as long as
 * for all of them at once, in a virtual machine ten times. Large pages take next to none.
 */
#ifndef PMUTRACE_BASE_PAGES_H
#define PMUTRACE_BASE_PAGES_H

#include <stddef.h>

#include "base/array.h"

/*
 * Has those pages there that lie in the memory as a whole. Where the kernel cannot do that (before
 * 5.14), or has none to spare, they come as they are touched.
 */
void pages__populate(void *at, size_t bytes);

/* Memory for @bytes, in large pages if these are many and there are any. NULL, or for free(3). */
void *pages__alloc(size_t bytes);

/* A large page, if there are any, of its own and at its own address. NULL: there is no memory. */
enum { PAGES_LARGE = 2 << 20 };
void *pages__map_large(void);
void pages__unmap_large(void *at);

/*
 * Room in an array without items for as many as there will be, about: it need not grow, which moves
 * what is there. 0 or -ENOMEM.
 */
#define pages__reserve(items, cap, nr)                                                             \
	pages__reserve_bytes((void **)(items), (cap), (nr), sizeof(**(items)))

int pages__reserve_bytes(void **items, size_t *cap, size_t nr, size_t item_bytes) must_check;

/* array__grow() of an array that will be full: what is new of a large one is there at once. */
#define pages__grow(items, cap, need)                                                              \
	((need) <= *(cap) ? 0                                                                      \
			  : pages__grow_bytes((void **)(items), (cap), (need), sizeof(**(items))))

int pages__grow_bytes(void **items, size_t *cap, size_t need, size_t item_bytes) must_check;

#endif
