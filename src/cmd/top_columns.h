/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/top_columns.h - what `pmutrace top` counts and shows: -e, --columns, --sort and the user's
 * file; and why a name, a column or a set of columns has no value: nobody knows it, this machine
 * cannot count it, it is not among what is counted, or was not recorded.
 */
#ifndef PMUTRACE_CMD_TOP_COLUMNS_H
#define PMUTRACE_CMD_TOP_COLUMNS_H

#include <stdbool.h>

#include "base/array.h"
#include "base/buf.h"
#include "cmd/top_run.h"

/*
 * What is to be counted, -e or what the columns need: r->defs and r->events. 0 or -errno with
 * r->why.
 */
int top_columns__plan(struct top_run *r) must_check;

/*
 * The columns of a choice (columns/column_defs.h), NULL: of --columns, as far as their events are
 * counted. Then those of the events of -e, and the order. 0 or -errno with r->why: what there was
 * stays.
 */
int top_columns__choose(struct top_run *r, const char *choice) must_check;

/* What is counted does not depend on the columns: -e, events of the screen, recordings. */
bool top_columns__counts_stay(const struct top_run *r);

/* The events that a choice needs, added to @out. 0 or -errno with r->why. */
int top_columns__events_of(struct top_run *r, const char *choice,
			   struct perf_events *out) must_check;

/*
 * A column, or a set, by its name: nothing is appended if it has a value, or if one of a set's
 * events has. What is to be counted anew is tried to open. Uses r->why. 0 or -ENOMEM.
 */
int top_columns__explain_absent(struct top_run *r, const char *choice, struct buf *why) must_check;

#endif
