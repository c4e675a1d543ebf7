/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/func_table.h - calls by key, for people: a line for each key, most time first.
 *
 *	libc:read: 1041 calls, 5.00 s
 *
 *	             ------ time ------  - mean of a call -----  -- cycles ---
 *	FUNC  CALLS    SUM  MEAN    MAX   SELF  ON-CPU  OFF-CPU    SUM    MEAN
 *	read   1041  1.04s   1ms  100ms  990us    10us    990us  20.8M     20k
 *
 *	calls: 1041 seen, 1041 kept, nothing lost
 *
 * With cycles and instructions among the events the instructions of a cycle (IPC) follow, with
 * cache misses and instructions the misses per 1000 of them (MPKI); "-" where one of them is 0.
 * Frames and histograms are as in print/count_table.h.
 *
 * The profile's metrics are those of calls: "time", then "self", "on-cpu", "off-cpu", then each
 * event and its "EVENT:self"; or "time" alone.
 */
#ifndef PMUTRACE_PRINT_FUNC_TABLE_H
#define PMUTRACE_PRINT_FUNC_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"

struct profile;

struct func_table_opts {
	unsigned rows;	  /* lines, or histograms; 0: all */
	unsigned width;	  /* columns of the terminal; 0: not one, names are cut to CELL_LONG */
	bool color;	  /* ANSI attributes */
	bool least;	  /* the shortest time too */
	const char *note; /* a line below the headlines; NULL: none */
};

/* Ends with the loss line. 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__func_table(FILE *f, const struct profile *p, const struct func_table_opts *o) must_check;

#endif
