/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat/places.h - a target -> where counters are opened, and which row each place counts for.
 *
 * Everything: each CPU. Processes, threads, a user's tasks: each thread that runs now; what those
 * start later counts with them. Cgroups: each CPU, for each. With rows by CPU, core or socket,
 * tasks are counted on each CPU.
 */
#ifndef PMUTRACE_STAT_PLACES_H
#define PMUTRACE_STAT_PLACES_H

#include <stddef.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/idmap.h"
#include "machine/target.h"
#include "model/counts.h"
#include "perf/counters.h"

struct places {
	struct counter_place *at;
	uint32_t *row;	/* of each place */
	uint32_t *part; /* of each place: which process, thread, CPU or cgroup of the target */
	size_t nr, cap_at, cap_row, cap_part;
	const char *part_name, *parts_name; /* what these are: "process", "processes"; literals */
	struct counts_key *rows;	    /* distinct; members that were not asked for are 0 */
	size_t nr_rows, cap_rows;
	struct idmap known;	/* hash of a key -> row */
	struct strtab *strings; /* of the keys */
	int *cgroup_fds;
	size_t nr_cgroup_fds;
};

/* Places of one part of the target are adjacent. @command: the process that will exec the command,
 * 0: none. 0 or -errno with @why. */
int places__find(struct places *p, const struct target *t, enum counts_by by, pid_t command,
		 struct buf *why) must_check;
void places__free(struct places *p);

#endif
