/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/collector_parts.h - private to the sources of collect/collector.h:
 *	collector_open.c	what a session is opened for, and all that is needed besides
 *	collector.c		what comes of it
 */
#ifndef PMUTRACE_COLLECT_COLLECTOR_PARTS_H
#define PMUTRACE_COLLECT_COLLECTOR_PARTS_H

#include "collect/collector.h"
#include "collect/source.h"
#include "collect/stacks.h"
#include "perf/cgroup.h"

/* Flaws by bit of enum sample_flaw, then one that only user space can find. */
enum { COLLECTOR_FLAWS = 6, COLLECTOR_GONE = 5 };

struct collector {
	struct source source;
	struct tracker *tracker;
	struct profile *profile;
	struct stacks *stacks;
	struct cgroups *cgroups; /* names of ids; NULL when not asked for */
	struct rowfields fields;
	struct rowprobe *probes; /* what key->stack.source stands for; NULL: an event */
	size_t nr_probes;
	unsigned by;
	uint64_t start_ns, polled_ns, flushed_ns, forgot_ns;
	bool more_names; /* the kernel's names are being read */
	uint64_t flaws[COLLECTOR_FLAWS];
	/* At the last restart: what sessions tell are sums from their start on. */
	struct losses before;
	uint64_t own_before_ns;
	uint64_t *enabled_before, *running_before; /* by event */
};

#endif
