/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/callers_table.h - who calls a function, and what it calls, as tables for people.
 */
#ifndef PMUTRACE_PRINT_CALLERS_TABLE_H
#define PMUTRACE_PRINT_CALLERS_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

struct profile;
struct callers;

struct callers_table_opts {
	const char *name;      /* of the function */
	bool callers, callees; /* which of the two */
	unsigned rows;	       /* at most; 0: 20 */
	unsigned width;	       /* of the terminal; 0: not one */
	bool color;
};

/* @event: index. 0; -ENOMEM; or of writing. */
int print__callers_table(FILE *f, const struct profile *p, uint32_t event, const struct callers *c,
			 const struct callers_table_opts *o) must_check;

#endif
