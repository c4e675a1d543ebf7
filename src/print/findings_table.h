/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/findings_table.h - findings for people, by area.
 *
 *	tracing
 *	  missing  tracefs   not mounted
 *	           cost      tracepoints cannot be looked up by name
 *	           fix       sudo mount -t tracefs tracefs /sys/kernel/tracing
 *
 *	2 ok, 0 limited, 1 missing, 0 unknown: pmutrace profile can run
 */
#ifndef PMUTRACE_PRINT_FINDINGS_TABLE_H
#define PMUTRACE_PRINT_FINDINGS_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "model/findings.h"

struct findings_table_opts {
	unsigned width; /* columns of the terminal; 0: not one, nothing is wrapped */
	bool color;	/* ANSI attributes */
	bool brief;	/* without what is ok */
};

/*
 * A fix is never broken into lines: it is there to be copied. 0, -ENOMEM, or another -errno (@f did
 * not take it all).
 */
int print__findings_table(FILE *f, const struct findings *found,
			  const struct findings_table_opts *o) must_check;

#endif
