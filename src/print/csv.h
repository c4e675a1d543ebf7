/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/csv.h - a profile's rows as comma-separated values.
 *
 *	comm,pid,stack,cycles:u,weight cycles:u
 *	bash,42,main;run,3,3000000
 *
 * The columns are those of the rows in print/json.h: the parts of the key that the run
 * kept, then samples and weight of each event; the field of an event without samples is
 * empty. Quoted as RFC 4180 says; lines end in LF. The stack is one field, outermost
 * first, written as in print/folded.h but without suffixes.
 *
 * A metric is four columns, NAME_sum, NAME_avg, NAME_min and NAME_max. A histogram is two columns
 * before those of the events, NAME_from and NAME_to (inclusive; empty: there is no such end), and a
 * line for each range that has samples. With either a line has samples of one event only.
 */
#ifndef PMUTRACE_PRINT_CSV_H
#define PMUTRACE_PRINT_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

struct profile;

struct csv_opts {
	bool weights;	/* columns for sums of periods: events were sampled, not counted */
	bool no_header; /* for all intervals but the first */
	uint64_t at_ns; /* end of the interval, since the start: first column; 0: there are none */
};

/* 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__csv(FILE *f, const struct profile *p, const struct csv_opts *o) must_check;

#endif
