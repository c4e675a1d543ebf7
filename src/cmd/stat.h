/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd/stat.h - what the parts of `pmutrace stat` share: options (stat.c), the run (stat_run.c). */
#ifndef PMUTRACE_CMD_STAT_H
#define PMUTRACE_CMD_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/intervals.h"
#include "base/opt.h"
#include "cmd/outputs.h"
#include "cmd/targets.h"
#include "event/event.h"
#include "machine/target.h"
#include "model/counts.h"
#include "model/repeats.h"

struct stat_opts {
	struct opt_strs specs;
	const char *filter;
	struct target_opts target;
	uint64_t duration_ns;
	uint64_t interval_ns;
	uint32_t repeat;
	bool force, per_cpu, per_core, per_socket, per_thread, per_process, per_cgroup;
	struct opt_strs files;
	const char *format, *separator;
	bool json, csv, strict, quiet, verbose;
};

/* All but the last part is there before the run. */
struct stat_run {
	const struct stat_opts *opts;
	struct lookup_reader *lookups; /* until it counts */
	struct target target;
	struct perf_events events;
	enum counts_by by;
	struct outputs outputs;
	char **argv; /* the command, or NULL */
	uint64_t duration_ns;
	const char *separator; /* -x, or NULL */
	struct buf cgroups;    /* -G: names for -x */
	struct buf why;

	struct command *command; /* of this repetition */
	struct counting *counting;
	struct runloop *loop;
	struct repeats repeats;	     /* -r: those that were complete */
	const struct counts *result; /* of the run, the interval or the repetitions */
	struct intervals intervals;  /* -I */
	size_t nr_written;
	bool partial;
	int status; /* of the command */
};

/* Counts, and prints the intervals of -I. Then there is a result. 0, or -errno with r->why. */
int stat_run__count(struct stat_run *r) must_check;

/* Prints the result, or the end of the intervals. An exit status. */
int stat_run__report(struct stat_run *r);

/* Frees what the run has opened and found. */
void stat_run__free(struct stat_run *r);

#endif
