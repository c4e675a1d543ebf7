/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/stat_json.h - a counting run as one JSON object; an interval (at_ns) is one on one line.
 *
 *	{ "schema": 1, "command": "stat", "version": "0.1.0", "duration_ns": 5000000000,
 *	  "time_ns": 5000000000, "user_ns": 1, "system_ns": 1, "runs": { ... },
 *	  "events": [ { "event": "cycles:u", "unit": "", "state": "counted", "value": 123,
 *	                "raw": 123, "enabled_ns": 1, "running_ns": 1, "group": 0,
 *	                "metric": { "value": 3.21, "text": "GHz" }, "metric2": { ... },
 *	                "runs": { "n": 3, "mean": 123, "stddev": 1, "ci95": 2.484 },
 *	                "why": "..." } ],
 *	  "rows": [ { "key": { "cpu": 0 }, "values": { "cycles:u": 123 } } ] }
 *
 * time_ns     end of the interval, since the start; only with intervals
 * missed_ns   for how long CPUs were online and not counted, in sum; only if there were any
 * user_ns,    CPU time of the command; only if there was one
 * system_ns
 * runs        of the run: seconds elapsed; of an event: its values; only with -r, and not if a
 *             signal cut off the first run. stddev and ci95 (half the 95 % interval of the mean)
 *             are null below two runs
 * events      totals. value is scaled to the whole enabled time and, for events that have a
 *             scale, to the unit; raw is as counted. No value: value and raw are null. An event
 *             asked for twice is "cycles" and "cycles#2", here and in the rows
 *             With -r all numbers but those of "runs" are means of the runs (model/repeats.h):
 *             raw, times and rows to the nearest whole number, value and metrics as they are
 * group       events of the same number were on counters together; null: by itself
 * metric      out of model/metric.h, null if there is none; metric2 and why only where there is one
 * why         no value: the reason; a value that lacks a part of the target: of which, and why
 * rows        a key has what was asked for: "cpu"; "socket", "cpus"; "socket", "core", "cpus";
 *             "comm", "pid", "tid"; "comm", "pid"; "cgroup". Empty if nothing was. A value that is
 *             not there is null
 */
#ifndef PMUTRACE_PRINT_STAT_JSON_H
#define PMUTRACE_PRINT_STAT_JSON_H

#include <stdio.h>

#include "base/array.h"

struct counts;

/* 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__stat_json(FILE *f, const struct counts *c) must_check;

#endif
