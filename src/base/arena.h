/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/arena.h - memory for many things that are freed all together.
 *
 * It takes as much again as it has, from 16 KiB on, up to a large page at a time (base/pages.h):
 * thousands of small pieces of memory cost a page fault for each page of them otherwise, which in a
 * virtual machine is more than what they are for.
 */
#ifndef PMUTRACE_BASE_ARENA_H
#define PMUTRACE_BASE_ARENA_H

#include <stddef.h>

#include "base/array.h"

struct arena_chunk;

/* Zero-initialise it. */
struct arena {
	struct arena_chunk *chunks; /* the one that is filled comes first */
	size_t bytes;		    /* that it has taken */
};

/* @bytes of memory, for anything; what is in it nobody knows. NULL: there is none. */
void *arena__alloc(struct arena *a, size_t bytes);

/* A copy of @bytes; likewise. Of none: a pointer to nothing. */
void *arena__copy(struct arena *a, const void *from, size_t bytes);

/* Frees all of it. It may be used again. */
void arena__free(struct arena *a);

#endif
