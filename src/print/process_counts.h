/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/process_counts.h - how much of an event there was in each window, process by process.
 *
 * Processes are numbers here: their ids, or where nothing but commands is known numbers of these
 * (by_thread__process()). Without windows the whole run is window 0.
 */
#ifndef PMUTRACE_PRINT_PROCESS_COUNTS_H
#define PMUTRACE_PRINT_PROCESS_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct by_thread;
struct profile;

struct process_count {
	uint32_t process, window;
	uint64_t samples, weight;
};

/* By process, then by window; what is 0 is not there. Zero-initialise it. */
struct process_counts {
	struct process_count *items;
	size_t nr, cap;
};

/* Fills it anew. @threads: of one event, by window. 0 or -ENOMEM. */
int process_counts__gather(struct process_counts *c, const struct profile *p,
			   const struct by_thread *threads) must_check;

/* All of them together as one more process, whose number is above all others. 0 or -ENOMEM. */
int process_counts__add_all(struct process_counts *c, uint32_t all) must_check;

void process_counts__free(struct process_counts *c);

/*
 * How much more of an event there was in a window than what was counted, which is while it was on a
 * counter: 1 for an event that was there all the time, or if that is not known.
 */
double process_counts__scale(const struct profile *p, uint32_t event, uint32_t window);

#endif
