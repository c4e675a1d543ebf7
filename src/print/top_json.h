/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/top_json.h - an interval of a live view as one JSON object on a line.
 *
 *	{ "schema": 1, "command": "top", "version": "0.1.0", "duration_ns": 1000000000,
 *	  "at_ns": 1795287792000000000, "by": "process", "cpus": 2, "host": "a", "kernel": "6.18",
 *	  "own_bpf_ns": 1200, "own_user_ns": 1000000,
 *	  "events": [ { "event": "cycles", "unit": "", "state": "multiplexed", "value": 200,
 *	                "raw": 100, "idle": 5, "enabled_ns": 2, "running_ns": 1, "group": 0 } ],
 *	  "columns": [ { "name": "ipc", "formula": "instructions / cycles", "share": 0.5 } ],
 *	  "rows": [ { "key": { "pid": 42, "comm": "bash" }, "values": { "ipc": 1.25 },
 *	              "command": "bash -l", "parent": 41, "uid": 0, "user": "root",
 *	              "cgroup": "/init.scope", "exited": false } ],
 *	  "seen": 1000, "kept": 998, "losses": { "tasks_full": 2 }, "untold": 0 }
 *
 * at_ns       the interval's end, ns since 1970; duration_ns is its length
 * own_..      CPU time of the programs in the kernel and of the command itself
 * events      totals over all CPUs, idle ones too; idle: the part of raw that these have; group:
 *             null for what is counted all the time; why: a sentence, of those that are not
 *             counted (not-supported)
 * columns     share: the part of the interval for which its events were counted; why: a sentence
 *             where it has no value
 * rows        key: pid and comm; tid, pid and comm; cgroup_id and cgroup (null: no name is known);
 *             or cpu. Values are those of the columns. From command to cgroup: of processes and
 *             threads. null: not known
 * untold      context switches missed: they count for the task that ran at the end
 */
#ifndef PMUTRACE_PRINT_TOP_JSON_H
#define PMUTRACE_PRINT_TOP_JSON_H

#include <stdio.h>

#include "base/array.h"
#include "print/top_page.h"

/* 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__top_json(FILE *f, const struct top_page *p) must_check;

#endif
