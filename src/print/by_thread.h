/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/by_thread.h - the stacks of one event, thread by thread.
 *
 * A thread is what the profile tells apart: threads, or else processes, or else commands. Those
 * with most samples come first, and the stacks of each in an order in which those with the same
 * callers stand together. Rows of one thread and stack (on several CPUs) are added up.
 */
#ifndef PMUTRACE_PRINT_BY_THREAD_H
#define PMUTRACE_PRINT_BY_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct profile;

struct thread_stack {
	uint32_t thread; /* whose it is: a number of its own */
	uint32_t place;	 /* in the order of stacks */
	uint32_t node;	 /* of the profile */
	uint64_t samples, weight;
};

struct thread_samples {
	uint32_t pid, tid; /* both 0: commands alone are known; by process both are its id */
	uint32_t most;	   /* node of the stack with most samples: what it is called by */
	uint64_t most_samples, samples, weight;
	size_t first, nr; /* of the stacks */
};

struct by_thread {
	struct thread_samples *threads;
	size_t nr, cap;
	struct thread_stack *stacks;
	size_t nr_stacks;
};

/* Initialises @t; by_thread__free() it in any case. @event: index. 0 or -ENOMEM. */
int by_thread__group(struct by_thread *t, const struct profile *p, uint32_t event) must_check;
void by_thread__free(struct by_thread *t);

#endif
