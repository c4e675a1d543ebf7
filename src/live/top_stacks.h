/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live/top_stacks.h - where time is spent now: samples by task, cgroup and stack, interval by
 * interval. The second source of a live view, beside live/top_tasks.h.
 *
 *	probe/sample + sym/namer (collect/collector.h) -> a profile for each interval -> their sum
 *
 * Life: open - start - polls, and a refresh at the end of each interval - close. It may be opened
 * late, when somebody first looks at functions, closed, and opened again. What only an interval
 * knew is forgotten with it, and names of code when they have become many. Binaries and cgroups are
 * remembered by the session of samples: now and then (max_age_ns) another one takes over, with the
 * targets that there are then. No sample is lost by that. Where no other one can be opened it goes
 * on as it is, and a notice says why.
 */
#ifndef PMUTRACE_LIVE_TOP_STACKS_H
#define PMUTRACE_LIVE_TOP_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "machine/target.h"
#include "model/profile.h"
#include "probe/sample.h"

struct top_stacks;

/* All that is pointed to is borrowed until close. */
struct top_stacks_opts {
	const struct perf_events *events; /* with their rates, as `profile` has them */
	const struct target *target;	  /* what is sampled */
	uint64_t unwind_bytes;		  /* as sampler__open() has them */
	bool no_user;			  /* frames of the kernel alone */
	bool inlines;			  /* sym/finder.h */
	uint64_t window_ns;		  /* the intervals that ended within it; 0: the last one */
	uint64_t names_ns;		  /* collector__flush(); 0: 20 ms, for a screen */
	size_t max_names;		  /* of code, remembered; 0: 30000, some 3 MB */
	struct jail *jail;		  /* as collector__open() has it */
	struct debuginfod *debuginfod;	  /* the same */
	uint64_t max_age_ns;		  /* of a session, see above; 0: an hour */
};

/* Everything is loaded, and off. @why: on error a sentence. 0 or -errno. */
int top_stacks__open(struct top_stacks **out, const struct top_stacks_opts *opts,
		     struct buf *why) must_check;
void top_stacks__close(struct top_stacks *f);
int top_stacks__start(struct top_stacks *f) must_check;

/* Between refreshes, each time patience is over: new stacks get their names. 0 or -errno. */
int top_stacks__poll(struct top_stacks *f) must_check;
unsigned top_stacks__patience_ms(const struct top_stacks *f);

/* The next interval is the last one; its end waits for names for @names_ns at most. */
void top_stacks__be_last(struct top_stacks *f, uint64_t names_ns);

/* Samples less from now on: probe/sample.h; sessions that take over, too. 0 or -errno. */
int top_stacks__spare(struct top_stacks *f, const struct sampler_thrift *thrift) must_check;

/* CPU time of its BPF programs, up to now. */
uint64_t top_stacks__own_ns(const struct top_stacks *f);

/* Ends an interval: its samples are in the profile now. 0 or -errno. */
int top_stacks__refresh(struct top_stacks *f) must_check;

/*
 * By process, thread, command, cgroup and stack: what the window has. Its duration, losses and
 * times are sums over its intervals. Empty before the first refresh. Until the next refresh.
 */
const struct profile *top_stacks__profile(const struct top_stacks *f);

/* What the last interval alone has; NULL before the first refresh. Until the next refresh. */
const struct profile *top_stacks__interval(const struct top_stacks *f);

#endif
