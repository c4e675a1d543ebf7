/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/array.h - growable arrays.
 *
 * An array is a pointer, a count and a capacity kept by its owner; array__grow()
 * is the only place where such a pointer is reallocated.
 *
 *	err = array__grow(&p->rows, &p->cap_rows, p->nr_rows + 1);
 *	if (err)
 *		return err;
 *	p->rows[p->nr_rows++] = row;
 */
#ifndef PMUTRACE_BASE_ARRAY_H
#define PMUTRACE_BASE_ARRAY_H

#include <stddef.h>

#define must_check    __attribute__((warn_unused_result))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The structure whose @member is at @p. */
#define container_of(p, type, member) ((type *)((char *)(p)-offsetof(type, member)))

/* Returns 0, -ENOMEM, or -EOVERFLOW; the array is untouched on error. */
int array__grow_bytes(void **items, size_t *cap, size_t need, size_t item_bytes) must_check;

/* The capacity that array__grow() gives. */
size_t array__capacity(size_t cap, size_t need);

#define array__grow(items, cap, need)                                                              \
	array__grow_bytes((void **)(items), (cap), (need), sizeof(**(items)))

#endif
