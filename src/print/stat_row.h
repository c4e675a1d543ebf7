/* SPDX-License-Identifier: BSD-2-Clause */
/* print/stat_row.h - what the parts of print/stat_table.c share; nobody else includes it. */
#ifndef PMUTRACE_PRINT_STAT_ROW_H
#define PMUTRACE_PRINT_STAT_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "model/counts.h"
#include "print/writer.h"

/* perf's columns. */
enum stat_width {
	VALUE_WIDTH = 18,
	UNIT_WIDTH = 4, /* at least: "msec" */
	EVENT_WIDTH = 32,
	EVENT_WIDTH_CGROUP = 25, /* where a cgroup follows */
	EVENT_MAX = 60,		 /* a longer name moves only its own line */
	CGROUP_MAX = 40,
	COMM_WIDTH = 16,
	METRIC_WIDTH = 35, /* "#", number, text */
};

struct stat_table {
	struct writer w;
	const struct counts *c;
	struct buf line, text;
	size_t unit_width, event_width, cgroup_width;
};

/* Columns of a terminal that a text takes. */
size_t stat_row__cells(const char *s);

/* A name made safe, with blanks before it (@right) or behind it. */
int stat_row__put_name(struct stat_table *t, const char *s, size_t width, bool right) must_check;

/* Writes the line without the blanks that pad its last column. */
void stat_row__end_line(struct stat_table *t);

/* The heading of the key's column, as wide as that. */
const char *stat_row__key_heading(enum counts_by by);

/* The line of an event, and one for its second metric. */
int stat_row__put(struct stat_table *t, size_t row, size_t event) must_check;

#endif
