/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/stat_csv.h - a counting run as CSV (--csv): quoted as RFC 4180 says, lines end in LF. The
 * header is
 *
 *	[time_ns,] then "cpu", "socket,cpus", "socket,core,cpus", "comm,pid,tid", "comm,pid" or
 *	"cgroup", then event,unit,state,value,raw,enabled_ns,running_ns,metric,metric_unit,
 *	metric2,metric2_unit[,runs,stddev,ci95]
 *
 * as they are in print/stat_json.h; what is not known is "-". With rows there are no totals.
 */
#ifndef PMUTRACE_PRINT_STAT_CSV_H
#define PMUTRACE_PRINT_STAT_CSV_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"

struct counts;

/*
 * @header: false for all intervals but the first. 0, -ENOMEM, or another -errno (@f did not take it
 * all).
 */
int print__stat_csv(FILE *f, const struct counts *c, bool header) must_check;

#endif
