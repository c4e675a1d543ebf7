/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/table.h - the functions with most samples, for people.
 *
 *	cycles:u: 1041 samples, 5.00 s, 99 Hz on 8 CPUs
 *	    SELF  SELF%    TOTAL TOTAL%  FUNCTION                MODULE
 *	     512  49.18      700  67.24  hash_bytes              libc.so.6
 *
 *	samples: 1041 seen, 1041 kept, nothing lost
 */
#ifndef PMUTRACE_PRINT_TABLE_H
#define PMUTRACE_PRINT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

struct profile;

struct table_opts {
	unsigned rows;	/* functions for each event; 0: 20 */
	unsigned width; /* columns of the terminal; 0: not one, names are cut to CELL_LONG */
	bool color;	/* ANSI attributes */
	bool one_event; /* @event alone; else all */
	uint32_t event;
};

/*
 * One table for each event, then the loss line. 0, -ENOMEM, or another -errno (@f did not take it
 * all).
 */
int print__table(FILE *f, const struct profile *p, const struct table_opts *o) must_check;

#endif
