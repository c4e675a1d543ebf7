/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat/counting_why.h - why an event is not counted, or not on all of the target: sentences.
 *
 * All functions append to @why, nothing if there is nothing to say; they return 0 or -ENOMEM.
 */
#ifndef PMUTRACE_STAT_COUNTING_WHY_H
#define PMUTRACE_STAT_COUNTING_WHY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/counts.h"
#include "perf/counters.h"
#include "stat/places.h"

/* All are borrowed. */
struct counting_why {
	const struct perf_events *events;
	const struct counters *counters; /* open */
	const struct places *places;	 /* where */
};

/* Why an event is open nowhere. */
int counting_why__nowhere(const struct counting_why *w, size_t event, struct buf *why) must_check;

/*
 * Of an event that is open somewhere: for which part of the target it is not, in the words of
 * "1 of 2 processes could not be counted: no permission (..)". All parts of the event count as
 * one. Places that were gone are no loss.
 */
int counting_why__lacks(const struct counting_why *w, size_t event, struct buf *why) must_check;

/* What a row shows for an event that could not be opened, by the -errno of opening it. */
enum count_state counting_why__state(int err);

/*
 * Of a run in which no event is open: whether what is to be counted may run all the same, as a
 * command does when this machine has none of the events. 0; else an -errno that is not -EINVAL,
 * and the reasons that @counts has.
 */
int counting_why__nothing(const struct counting_why *w, const struct counts *counts, bool command,
			  struct buf *why) must_check;

/* Why an event that is open was never on a counter, as far as that can be told. */
int counting_why__uncounted(const struct counting_why *w, size_t event,
			    const struct event_count *total, struct buf *why) must_check;

#endif
