/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/repeats.h - several runs of the same thing become one: their means.
 *
 * Pure data: no system calls. Does not know: what runs, how often it should, formats.
 */
#ifndef PMUTRACE_MODEL_REPEATS_H
#define PMUTRACE_MODEL_REPEATS_H

#include "base/array.h"

struct counts;

struct repeats {
	struct counts *sum; /* of the runs, after repeats__finish() their means; NULL: no run */
	unsigned nr;
};

/*
 * Adds a run that is complete, which is taken also on error. The values of its totals and its
 * seconds go into counts->runs; an event without a value is no value there. 0 or -ENOMEM.
 */
int repeats__add(struct repeats *r, struct counts *run) must_check;

/*
 * Makes means of the sums, once, after the last run; there was one at least. Values and raw counts
 * of an event are those of the runs in which it had one, times of all runs; what is a whole number
 * in a run is one here, the nearest. Of two states the worse stays (event_count__add()). Rows with
 * equal keys are one row.
 */
void repeats__finish(struct repeats *r);

void repeats__free(struct repeats *r);

#endif
