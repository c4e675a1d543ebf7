/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/hits_session.h - the inside of a counting session, shared by its sources:
 *	hits.c		life: open, start, stop
 *	hits_poll.c	what was counted, and lost
 *	hits_load.c	sizes, configuration, loading of one object
 *	hits_kernel.c	probes that need no program
 */
#ifndef PMUTRACE_PROBE_HITS_SESSION_H
#define PMUTRACE_PROBE_HITS_SESSION_H

#include "perf/counters.h"
#include "probe/hits.h"
#include "probe/keyed.h"
#include "probe/sites.h"
#include "probe/targets.h"

#include "count.skel.h" /* needs the types of the above */

/* Some probes with their object. */
struct hook {
	struct count_bpf *skel;
	const struct hits_probe *probes; /* of hits_opts; those behind the first are like it */
	size_t nr_probes;
	enum sites_way way;
	struct bpf_program *program; /* the one that is loaded */
	struct keyed keyed;
	struct sites sites;
	bool is_event; /* it overflows: enabled and disabled */
	bool is_total; /* there is no key: table_cpu.seen is all */
	uint32_t number;
	uint64_t reported;		/* of a total */
	uint64_t missed, missed_before; /* at the end and at the start */
};

/* A probe whose hits the kernel counts, with its own filter. */
struct kernel_count {
	struct perf_events event; /* the probe's alone, borrowed */
	struct counters *counters;
	size_t nr_cpus;
	uint32_t number;
	uint64_t seen, reported;
};

struct hits {
	struct hook **hooks;
	size_t nr_hooks, cap_hooks;
	struct kernel_count **counts;
	size_t nr_counts, cap_counts;
	struct targets_links followers; /* of the first hook: all share its table of targets */
	bool stopped;
	bool selects; /* not all hits are wanted */
};

/* Whether the probe can be counted that way, as far as that is known before trying. */
bool hook__has_way(const struct hits_probe *probe, enum sites_way way);

/* Loads the hook's object for its way. @why: on error a sentence. 0 or -errno. */
int hook__load(struct hits *h, struct hook *k, const struct hits_opts *opts,
	       struct buf *why) must_check;

/* Nothing is wanted but how many hits there were; of its filter and period this says nothing. */
bool hits__has_no_key(const struct hits_probe *probe, const struct hits_opts *opts);

/* Whether the kernel can count it alone, as far as that is known before trying. */
bool kernel_count__can(const struct hits_probe *probe, const struct hits_opts *opts);

/*
 * Off. 0; -ENOMEM; another -errno: it cannot; -EBUSY: programs are attached to the tracepoint, and
 * may keep hits to themselves (bpf/tracepoint.bpf.h).
 */
int kernel_count__open(struct kernel_count **out, const struct hits_probe *probe,
		       const struct hits_opts *opts) must_check;
void kernel_count__close(struct kernel_count *c);
/* Up to now: c->seen. 0 or -errno. */
int kernel_count__read(struct kernel_count *c) must_check;

struct targets_parts hook__targets(const struct hook *k);

#endif
