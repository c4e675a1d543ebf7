/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live/livefuncs.h - where time is spent now: samples by task, cgroup and stack, interval by
 * interval. The second source of a live view, beside live/livetop.h.
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
#ifndef PMUTRACE_LIVE_LIVEFUNCS_H
#define PMUTRACE_LIVE_LIVEFUNCS_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "machine/target.h"
#include "model/profile.h"

struct livefuncs;

/* All that is pointed to is borrowed until close. */
struct livefuncs_opts {
	const struct perf_events *events; /* with their rates, as `profile` has them */
	const struct target *target;	  /* what is sampled */
	uint64_t window_ns;		  /* the intervals that ended within it; 0: the last one */
	uint64_t names_ns;		  /* collector__flush(); 0: 20 ms, for a screen */
	size_t max_names;		  /* of code, remembered; 0: 30000, some 3 MB */
	uint64_t max_age_ns;		  /* of a session, see above; 0: an hour */
};

/* Everything is loaded, and off. @why: on error a sentence. 0 or -errno. */
int livefuncs__open(struct livefuncs **out, const struct livefuncs_opts *opts,
		    struct buf *why) must_check;
void livefuncs__close(struct livefuncs *f);
int livefuncs__start(struct livefuncs *f) must_check;

/* Between refreshes, each time patience is over: new stacks get their names. 0 or -errno. */
int livefuncs__poll(struct livefuncs *f) must_check;
unsigned livefuncs__patience_ms(const struct livefuncs *f);

/* Ends an interval: its samples are in the profile now. 0 or -errno. */
int livefuncs__refresh(struct livefuncs *f) must_check;

/*
 * By process, thread, command, cgroup and stack: what the window has. Its duration, losses and
 * times are sums over its intervals. Empty before the first refresh. Until the next refresh.
 */
const struct profile *livefuncs__profile(const struct livefuncs *f);

/* What the last interval alone has; NULL before the first refresh. Until the next refresh. */
const struct profile *livefuncs__interval(const struct livefuncs *f);

#endif
