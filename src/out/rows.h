/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * out/rows.h - a profile's rows as they are shown: one per key, the events beside it.
 *
 * The profile has a row for each event and key. A table has a line for each key, with a
 * column for each event. Lines with most samples (of all events) come first.
 */
#ifndef PMUTRACE_OUT_ROWS_H
#define PMUTRACE_OUT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct profile;

struct line {
	uint32_t first; /* index into rows.order */
	uint32_t nr;	/* rows of this key, ordered by event */
	uint64_t samples;
};

struct rows {
	uint32_t *order; /* indexes of the profile's rows */
	struct line *lines;
	size_t nr; /* lines */
};

/* Initialises @r; rows__free() it in any case. 0 or -ENOMEM. */
int rows__group(struct rows *r, const struct profile *p) must_check;
void rows__free(struct rows *r);

/* The stack's frame ids, outermost first, without the command; *comm is the command's name. */
struct row_stack {
	uint32_t *frames;
	size_t nr, cap;
	const char *comm; /* borrowed from the profile, "" if the stack is empty */
};

int row_stack__get(struct row_stack *s, const struct profile *p, uint32_t node) must_check;
void row_stack__free(struct row_stack *s);

#endif
