/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/count_table.h - hits of probes by key, for people: a line for each key, most hits first.
 *
 *	kprobe:vfs_read: 1041 hits, 5.00 s
 *
 *	COMM    PID  COUNT  SUM(ret)  AVG(ret)
 *	redis    42   1000     64000     64.00
 *	bash   1042     41         0      0.00
 *
 *	hits: 1041 seen, 1041 kept, nothing lost
 *
 * A few events have a column each. Many of them, or with metrics, or by nothing else, have lines of
 * their own with the event in front. The frames of a key's stack follow below its line, innermost
 * first. With a histogram each line is followed by it:
 *
 *	comm=redis pid=42: 1000 hits
 *	LAT           COUNT  DISTRIBUTION
 *	[0ns, 1ns)       12  |@@                                      |
 *	[1ns, 2ns)      988  |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
 *
 * A text that is empty is "".
 */
#ifndef PMUTRACE_PRINT_COUNT_TABLE_H
#define PMUTRACE_PRINT_COUNT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "print/measure.h"

struct count_page;
struct profile;

struct count_table_opts {
	const char *noun; /* what is counted: "sample"; NULL: "hit" */
	unsigned rows;	  /* lines, or histograms; 0: all */
	unsigned width;	  /* columns of the terminal; 0: not one, names are cut to CELL_LONG */
	bool color;	  /* ANSI attributes */
	unsigned shown;	  /* bits of enum measure: columns of each metric */
};

/* Ends with the loss line. 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__count_table(FILE *f, const struct profile *p,
		       const struct count_table_opts *o) must_check;

/* Writes the page of hits or calls that print/count_page.h is filled in for. As above. */
int count_table__write(struct count_page *c) must_check;

#endif
