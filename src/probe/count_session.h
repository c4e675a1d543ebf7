/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/count_session.h - the inside of a counting session, shared by its sources:
 *	count.c		what a session of this kind does in its own way
 *	count_open.c	which probes share an object, and how they are attached
 *	count_calls.c	many system calls by the raw tracepoint of all of them
 *	count_totals.c	what was counted without a key
 *	count_hook.c	one object: its probes, sizes and configuration, loading
 *	count_kernel.c	probes that need no program
 */
#ifndef PMUTRACE_PROBE_COUNT_SESSION_H
#define PMUTRACE_PROBE_COUNT_SESSION_H

#include "perf/counters.h"
#include "probe/count.h"
#include "probe/object.h"
#include "object/sites.h"
#include "object/targets.h"

#include "count.skel.h" /* needs the types of the above */

/* Many system calls of one shape, told apart by their number. */
struct call_plan {
	const struct count_probe *probe; /* the first of them */
	bool at_exit;
	uint32_t args;		       /* bits of those that are wanted */
	uint32_t sources[COUNT_CALLS]; /* what `calls` is to have of them */
};

/* Probes that share a BPF object, and the object. */
struct hook {
	struct count_bpf *skel;
	const struct count_probe **probes; /* of count_opts */
	size_t nr_probes;
	enum sites_way way;
	struct bpf_program *program; /* the one that is loaded */
	/* Copies with other configurations, for probes without cookies or of other shapes. */
	int *clones;
	size_t nr_clones, cap_clones;
	struct call_plan *calls; /* NULL: not for many system calls */
	size_t nr_calls;
	struct object object; /* has_no_keys: only `totals` are counted */
	struct sites sites;
	bool is_event;	 /* perf events that sample: enabled and disabled */
	uint32_t number; /* of the first probe */
	uint32_t nr_totals;
	uint32_t row_totals; /* room for each CPU's totals: whole cache lines */
	uint32_t nr_cpus;
	uint64_t *totals; /* mapped */
	size_t totals_bytes;
	uint64_t *reported; /* of each total: handed out so far */
};

/* A probe whose hits the kernel counts, with its own filter. */
struct kernel_count {
	struct perf_events event; /* the probe's alone, borrowed */
	struct counters *counters;
	size_t nr_cpus;
	uint32_t number;
	uint64_t seen, reported;
};

struct count {
	struct session session;
	struct hook **hooks;
	size_t nr_hooks, cap_hooks;
	struct kernel_count **counts;
	size_t nr_counts, cap_counts;
	struct targets_links followers; /* of the first hook: all share its table of targets */
	bool selects;			/* some hits are filtered out */
};

/* Whether the probe can be counted that way, as far as that is known before trying. */
bool hook__has_way(const struct count_probe *probe, enum sites_way way);

/* All but their numbers and names is the same: fields, filter, what is measured. */
bool count_probe__same_shape(const struct count_probe *a, const struct count_probe *b);

/* Probes, and programs for them, loaded and attached; h->hooks has them. 0 or -errno with @why. */
int count__open_all(struct count *h, const struct count_opts *opts, struct buf *why) must_check;
/* *out: to be closed in any case. Its probes are borrowed, the list of them is copied. */
int hook__new(struct hook **out, const struct count_probe *const *probes, size_t nr) must_check;
void hook__close(struct hook *k);
int count__add_hook(struct count *h, struct hook *k) must_check;

/* Whether it is a system call that can be counted with others at once. */
bool count_probe__is_call(const struct count_probe *probe);

/* Opens probes on system calls, all by the same raw tracepoints. 0 or -errno with @why. */
int count__open_calls(struct count *h, const struct count_opts *opts,
		      const struct count_probe *const *probes, size_t nr,
		      struct buf *why) must_check;

/*
 * Loads the hook's object for its way, with the program for its first probe. @why: on error a
 * sentence. 0 or -errno.
 */
int hook__load(struct count *h, struct hook *k, const struct count_opts *opts,
	       struct buf *why) must_check;

/*
 * The program for the @n-th probe of the hook, or for its @n-th plan of calls; but for the first
 * a clone. *fd: owned by the hook. 0 or -errno.
 */
int hook__program(struct hook *k, size_t n, const struct count_opts *opts, int *fd) must_check;

/* Before and after loading: room for what is counted without a key. 0 or -errno. */
int hook__size_totals(struct hook *k) must_check;
int hook__map_totals(struct hook *k) must_check;
void hook__unmap_totals(struct hook *k);
/* Sum of the totals up to now. */
uint64_t hook__total(const struct hook *k);
/* How much of that was handed out. */
uint64_t hook__reported(const struct hook *k);
int hook__poll_totals(struct hook *k, const struct rows_reader *reader) must_check;

/* Shows what was counted without a key since the last time, as if there was a key. */
int count__report(uint32_t number, uint64_t seen, uint64_t *reported,
		  const struct rows_reader *reader) must_check;

/* Only the number of hits is wanted, without keys or values; filter and period do not matter. */
bool count__has_no_key(const struct count_probe *probe, const struct count_opts *opts);

/* Whether the kernel can count it alone, as far as that is known before trying. */
bool kernel_count__can(const struct count_probe *probe, const struct count_opts *opts);

/*
 * Opens it, disabled. 0; -ENOMEM; another -errno: the kernel cannot count it; -EBUSY: programs are
 * attached to the tracepoint, and may keep hits to themselves (bpf/tracepoint.bpf.h).
 */
int kernel_count__open(struct kernel_count **out, const struct count_probe *probe,
		       const struct count_opts *opts) must_check;
void kernel_count__close(struct kernel_count *c);
/* Up to now: c->seen. 0 or -errno. */
int kernel_count__read(struct kernel_count *c) must_check;

extern const struct session_fns count__fns;

#endif
