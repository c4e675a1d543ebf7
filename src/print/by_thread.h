/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/by_thread.h - the stacks of one event, thread by thread.
 *
 * A thread is what the profile tells apart: threads, or else processes, or else commands. Those
 * with most samples come first, and the stacks of each in an order in which those with the same
 * callers stand together. Rows of one thread and stack (on several CPUs) are added up.
 *
 * By windows (model/windows.h), if the profile has any, the stacks of a thread come window by
 * window; without windows all are of window 0.
 */
#ifndef PMUTRACE_PRINT_BY_THREAD_H
#define PMUTRACE_PRINT_BY_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct profile;

struct thread_stack {
	uint32_t thread; /* whose it is: a number of its own */
	uint32_t window;
	uint32_t place; /* in the order of stacks */
	uint32_t node;	/* of the profile */
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

/*
 * Initialises @t; by_thread__free() it in any case. @event: index. @by_window: windows are told
 * apart. 0 or -ENOMEM.
 */
int by_thread__group(struct by_thread *t, const struct profile *p, uint32_t event,
		     bool by_window) must_check;
void by_thread__free(struct by_thread *t);

/* The command that a thread is called by; "[unknown]". */
const char *by_thread__name(const struct profile *p, const struct thread_samples *thread);

/*
 * Numbers of a thread and of its process: its ids. Of a command alone both are one of the profile's
 * own, another one for each name.
 */
uint32_t by_thread__id(const struct profile *p, const struct thread_samples *thread);
uint32_t by_thread__process(const struct profile *p, const struct thread_samples *thread);

/* What a thread has in one window: @nr of the stacks, from @first on. Zero before the first. */
struct thread_window {
	size_t first, nr;
	uint32_t window;
	uint64_t samples, weight;
};

/* Goes on to the thread's next window that has samples; false: there is none. */
bool by_thread__next(const struct by_thread *t, const struct thread_samples *thread,
		     struct thread_window *w);

#endif
