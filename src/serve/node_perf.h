/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/node_perf.h - the metrics of node_exporter's perf collector: the same names, help texts and
 * label "cpu", so that dashboards of it go on.
 *
 * What is better here, as its users have asked for:
 *	each event is opened for itself, and what cannot be is told (pmutrace_perf_event_up)
 *	values are scaled, between readings, so that they never go back; for how long an event was
 *	 on a counter stands beside them
 *	hits are hits: accesses minus misses, of one group; where misses cannot be counted there are
 *	 none (there they are accesses)
 *	CPUs have their own numbers, and may come and go
 *	descriptors stay open from one reading to the next
 *
 * Source: collector/perf_linux.go of https://github.com/prometheus/node_exporter.
 */
#ifndef PMUTRACE_SERVE_NODE_PERF_H
#define PMUTRACE_SERVE_NODE_PERF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"

struct exposition;
struct node_perf;

/* Its flags --collector.perf.NAME; lists are borrowed during open. */
struct node_perf_opts {
	const char *cpus; /* "2-6", "1-10:5", of CPUs that may be offline; NULL: all */
	const char *const *tracepoints; /* "sched:sched_switch" */
	size_t nr_tracepoints;
	/* "CpuCycles" and the like; none: all of the kind. */
	const char *const *hardware, *const *software, *const *cache;
	size_t nr_hardware, nr_software, nr_cache;
	bool no_hardware, no_software, no_cache;
};

/*
 * Opens what there is, and enables it. 0; -EINVAL with @why: no such CPU, name or tracepoint in the
 * options; another -errno with @why: nothing at all can be counted.
 */
int node_perf__open(struct node_perf **out, const struct node_perf_opts *o,
		    struct buf *why) must_check;
void node_perf__close(struct node_perf *n);

/* Sees to CPUs that came or went. To be called about once a second. 0 or -errno. */
int node_perf__poll(struct node_perf *n) must_check;

/* Reads all events, and appends their families. 0 or -errno; -ENOMEM may be in @x alone. */
int node_perf__collect(struct node_perf *n, struct exposition *x) must_check;

#endif
