/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/stat_separated.h - a counting run as perf's separated values (-x).
 *
 * There is no header, and fields are perf's (perf-stat(1), CSV FORMAT, as perf 6.1 writes them):
 *
 *	[seconds,][CPU0 | S0,2 | S0-D0-C0,1 | comm-tid,]value,unit,event[,cgroup][,noise%],
 *	ns running,% running,metric,its unit
 *
 * cgroup: of the row, or what all rows are of. noise: only with -r, as perf's the standard error of
 * the mean; of an event without a value it is empty, where perf says 0.00%. % running is 100.00
 * also where no time passed. A second metric is a line
 * of its own with all other fields empty. Nothing is quoted, as in perf: names may hold the
 * separator. Unlike perf, seconds have no blanks before them.
 */
#ifndef PMUTRACE_PRINT_STAT_SEPARATED_H
#define PMUTRACE_PRINT_STAT_SEPARATED_H

#include <stdio.h>

#include "base/array.h"

struct counts;

struct stat_separated_opts {
	const char *separator; /* any string */
	const char *cgroups;   /* that all rows are of; NULL: none, or the rows tell */
};

/* 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__stat_separated(FILE *f, const struct counts *c,
			  const struct stat_separated_opts *opts) must_check;

#endif
