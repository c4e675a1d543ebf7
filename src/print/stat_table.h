/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/stat_table.h - a counting run for people, as perf stat prints it.
 *
 *	 Performance counter stats for 'make':
 *
 *	             12.34 msec task-clock                       #    0.987 CPUs utilized
 *	     1,234,567,890      cycles                           #    3.210 GHz   (37.51%)
 *	   <not supported>      LLC-loads
 *
 *	       0.012500000 seconds time elapsed
 *
 *	       0.010000000 seconds user
 *	       0.002000000 seconds sys
 *
 *	LLC-loads: not supported: the CPU has no such counter
 *
 * Rows have perf's prefixes: CPU0, S0 2, S0-D0-C0 1 (the die is not known and shown as 0),
 * comm-tid, comm-pid; a cgroup stands behind the event. An interval (at_ns) has a column of
 * seconds and no headline or times. With -r values are means, "( +-  0.52% )" is the standard
 * error of the mean, as perf's. Unlike perf the command's times and the rows are means then too, a
 * row's events stand together, columns are as wide as the longest event, and lines have no blanks
 * at their end.
 */
#ifndef PMUTRACE_PRINT_STAT_TABLE_H
#define PMUTRACE_PRINT_STAT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"

struct counts;

/*
 * @first: it is the first interval: the names of columns come before it, and why events have no
 * value, as lines that begin with '#'. Has no meaning without at_ns.
 *
 * Return: 0, -ENOMEM, or another -errno (@f did not take it all).
 */
int print__stat_table(FILE *f, const struct counts *c, bool first) must_check;

#endif
