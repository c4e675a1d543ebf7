/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/windows.h - how much the rows of a profile grew from one moment of its run to the next.
 *
 * Windows follow one another without gaps, from the begin of the profile to its end. Over all of
 * them each row's samples and weight, each event's times and each loss add up to the profile's own:
 * profile__close_window() takes what came since the last one was closed.
 *
 * What is known late, as a stack that had to wait for names, is put into the window in which it was
 * sampled: profile__grow_late(). windows__settle() is due after that.
 */
#ifndef PMUTRACE_MODEL_WINDOWS_H
#define PMUTRACE_MODEL_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/loss.h"

struct window {
	uint64_t begin_ns, end_ns; /* since the begin of the profile */
	uint64_t own_ns;	   /* CPU time of the programs that collected it */
	size_t end_entries;	   /* index behind its last entry; the first one follows the window
				      before */
	struct losses losses;	   /* of this time alone */
};

/*
 * What a row grew by in a window; rows that did not are not there. A row whose frames got their
 * names late may be there twice.
 */
struct window_entry {
	uint32_t row;
	uint64_t samples, weight;
};

/* What is known after its window has ended. */
struct late_entry {
	uint32_t window;
	struct window_entry entry;
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

	/* Private: what is not yet among the entries; sums of all windows, by row and by event. */
	struct late_entry *late;
	size_t nr_late, cap_late;
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

/* Puts what is known late among the entries of its window. 0 or -ENOMEM; then all is as it was. */
int windows__settle(struct windows *w) must_check;

/* The window of a moment since the begin of the profile. False: it is in the one that goes on. */
bool windows__at(const struct windows *w, uint64_t ns, uint32_t *window);

/*
 * Rows have got other numbers, @rows[old], or are gone, UINT32_MAX; some are one now. To be called
 * with p->windows of the old numbers.
 */
void windows__renumber(struct windows *w, const uint32_t *rows);

/*
 * A copy for a profile in which the rows of another one have the numbers @rows[old]. @from is
 * settled. @nr_events: of both. 0 or -ENOMEM; @to is empty then.
 */
int windows__copy(struct windows *to, const struct windows *from, const uint32_t *rows,
		  size_t nr_events) must_check;

/* Makes one entry of those that a row has in a window. @nr_rows: of the profile. 0 or -ENOMEM. */
int windows__join(struct windows *w, size_t nr_rows) must_check;

#endif
