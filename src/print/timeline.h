/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/timeline.h - the stacks of a thread, each at a time, by the windows of a profile.
 *
 * Of a sample its window is known. The stacks that a thread has in a window share it: each begins
 * where the one before ends, and is as long as its part of the thread's samples in there. Behind a
 * window that has samples, where the thread has none in the next one, nothing begins (node 0).
 */
#ifndef PMUTRACE_PRINT_TIMELINE_H
#define PMUTRACE_PRINT_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct by_thread;
struct thread_samples;
struct windows;

struct timeline_item {
	uint32_t node;	   /* of the profile; 0 without samples: nothing, up to the next one */
	uint64_t begin_ns; /* since the begin of the profile */
	uint64_t samples, weight;
};

/* Zero-initialise it; timeline__free() gives the memory back. */
struct timeline {
	struct timeline_item *items;
	size_t nr, cap;
};

/* Fills it anew. @threads: by window. 0 or -ENOMEM. */
int timeline__place(struct timeline *t, const struct windows *w, const struct by_thread *threads,
		    const struct thread_samples *thread) must_check;
void timeline__free(struct timeline *t);

#endif
