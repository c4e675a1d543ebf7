/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/windows.h - how much the rows of a profile grew from one moment of its run to the next.
 *
 * Windows follow one another without gaps, from the begin of the profile to its end. Over all of
 * them each row's samples and weight, each event's times and each loss add up to the profile's own:
 * profile__close_window() takes what came since the last one was closed.
 *
 * A sample is in the window in which its row grew. Where stacks wait for names or unwind rules that
 * may be later than the sample was taken.
 */
#ifndef PMUTRACE_MODEL_WINDOWS_H
#define PMUTRACE_MODEL_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/loss.h"

struct profile;

struct window {
	uint64_t begin_ns, end_ns; /* since the begin of the profile */
	uint64_t own_ns;	   /* CPU time of the programs that collected it */
	size_t end_entries;	   /* index behind its last entry; the first one follows the window
				      before */
	struct losses losses;	   /* of this time alone */
};

/*
 * What a row grew by in a window; rows that did not are not there. A row whose frames got their names
 * late may be there twice.
 */
struct window_entry {
	uint32_t row;
	uint64_t samples, weight;
};

/* Of an event in a window. */
struct window_times {
	uint64_t enabled_ns, running_ns, passed_over;
};

/* Of a row, up to the last window's end. */
struct window_sum {
	uint64_t samples, weight;
};

/* Zero-initialise it; windows__free() gives the memory back. */
struct windows {
	struct window *items;
	size_t nr, cap;
	struct window_entry *entries;
	size_t nr_entries, cap_entries;
	struct window_times *times; /* [window * events of the profile + event] */
	size_t cap_times;

	/* Private: sums over all windows, by row and by event. */
	struct window_sum *rows;
	size_t nr_rows, cap_rows;
	struct window_times *events;
	size_t cap_events;
	uint64_t own_ns;
	struct losses losses;
};

void windows__free(struct windows *w);

/* Memory of it. */
size_t windows__bytes(const struct windows *w);

/* The first entry of a window. */
size_t windows__first(const struct windows *w, size_t window);

/*
 * Ends a window of @p at @end_ns; it begins where the last one ended. Events are all known before
 * the first one. 0 or -ENOMEM, then it has not ended.
 */
int profile__close_window(struct profile *p, uint64_t end_ns) must_check;

/*
 * Rows have got other numbers, @rows[old], or are gone, UINT32_MAX; some are one now. To be called
 * with p->windows of the old numbers.
 */
void windows__renumber(struct windows *w, const uint32_t *rows);

/*
 * A copy for a profile in which the rows of another one have the numbers @rows[old]. @nr_events: of
 * both. 0 or -ENOMEM; @to is empty then.
 */
int windows__copy(struct windows *to, const struct windows *from, const uint32_t *rows,
		  size_t nr_events) must_check;

#endif
