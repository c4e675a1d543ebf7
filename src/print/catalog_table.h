/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/catalog_table.h - a catalog for people and for grep: a line each, the name first.
 *
 *	cycles                    hardware    not-supported  clock cycles .. (also cpu-cycles)
 *	sched:sched_switch        tracepoint
 *
 * On a terminal a headline for each kind instead of its column. With fields, a line for each field:
 *
 *	sched:sched_switch        prev_comm             offset 8    size 16  char[]
 */
#ifndef PMUTRACE_PRINT_CATALOG_TABLE_H
#define PMUTRACE_PRINT_CATALOG_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "model/catalog.h"

struct catalog_table_opts {
	bool headlines; /* for people: grouped, the kind above instead of in each line */
	bool color;	/* ANSI attributes */
	bool fields;
};

/* In the catalog's order. 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__catalog_table(FILE *f, const struct catalog *c,
			 const struct catalog_table_opts *o) must_check;

#endif
