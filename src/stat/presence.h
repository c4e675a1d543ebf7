/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat/presence.h - for how long tasks were on a CPU.
 *
 * An event of a task on one CPU is enabled, for the kernel, while the task runs on any other, too;
 * scaled by that, a count would grow with every migration. The time that such an event could have
 * counted is what a software event beside it ran, since those are never multiplexed.
 */
#ifndef PMUTRACE_STAT_PRESENCE_H
#define PMUTRACE_STAT_PRESENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "perf/counters.h"

struct presence;

/* True for places that need it: a task on one CPU. */
bool presence__matters(const struct counter_place *at);

/* Some place needs it, and some event shares the counters of a PMU: it may be multiplexed there. */
bool presence__is_needed(const struct counters_opts *opts);

/*
 * How long an event can be said to have been enabled at its place: that of a task on one CPU while
 * the task was there, which is as long as it ran, unless @present_ns is more. @v: a reading, or
 * what came between two. @present_ns: of the same time, presence__ns(); 0: it is not known.
 */
uint64_t presence__enabled_ns(const struct counter_value *v, const struct counter_place *at,
			      const struct perf_event_attr *attr, uint64_t present_ns);

/*
 * On the same places, inherited and started as @like and its first event say. 0 or -errno with
 * @why.
 */
int presence__open(struct presence **out, const struct counters_opts *like,
		   struct buf *why) must_check;
void presence__close(struct presence *p);

/* To be called after the counted events were enabled. 0 or -errno. */
int presence__start(struct presence *p) must_check;

/* To be called before they are disabled. 0 or -errno. */
int presence__stop(struct presence *p) must_check;

/* Time on the place's CPU, ns; read before the events. 0 where the task is gone. 0 or -errno. */
int presence__ns(struct presence *p, size_t place, uint64_t *ns) must_check;

#endif
