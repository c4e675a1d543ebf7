/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/top.h - a session that charges what CPUs count to the tasks that ran on them.
 *
 * Knows: bpf/top.bpf.c, its maps and their layout. Hands out what a sampling session does, stacks
 * without frames; the values of a row are those of enum top_value, then one for each event.
 *
 * Exact for any number of tasks: counters are read at every switch, and at a flush on each CPU for
 * the task that runs there. Tasks that end are in the rows of the flush that follows. Events may be
 * multiplexed; then the rows have what they counted while on a counter, and top__times() says for
 * how long that was.
 *
 * Without BY_TID nothing is read at a switch between two threads of a process in one cgroup: their
 * key is the same. It is exact all the same, also the number of switches.
 *
 * CPUs may come and go. One that has come is without events up to the flush that follows, and so is
 * one that was away in between: what its tasks do is lost until then, and counted as such, or, when
 * it came back before the flush could see that, charged with events that are missing, which some
 * losses of that flush or the next tell.
 *
 * session__flush() hands out all that was charged since the last one, up to now; session__drain()
 * does so without a look at the tasks that run, to make room between two flushes.
 */
#ifndef PMUTRACE_PROBE_TOP_H
#define PMUTRACE_PROBE_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "probe/session.h"
#include "top.wire.h"

struct top_opts {
	const struct perf_event_spec *const *events; /* up to TOP_EVENTS; each borrowed to close */
	size_t nr_events;
	unsigned by; /* enum by: BY_TID with BY_COMM, or threads are not told apart; BY_CGROUP */
	bool measures_all; /* top_stats.own_ns of switches that need no reading, too */
	uint32_t max_keys; /* distinct ones per CPU between two flushes; 0: see top_keys.h */
};

/* What is counted now of what was asked for. */
struct top_thrift {
	unsigned less;	  /* enum by: BY_TID, threads are not told apart */
	size_t nr_events; /* the first of them; others stand still */
	bool paused;	  /* nobody is charged for anything */
};

struct top_stats {
	uint64_t untold; /* switches that the kernel did not tell */
	uint64_t own_ns; /* CPU time of the programs */
};

/*
 * Loads the programs, opens the events, everything off: a session of probe/session.h, whose close
 * frees it. Events that cannot be counted are left out: top__left_out(). @why: on error a sentence.
 * 0 or -errno.
 */
int top__open(struct session **out, const struct top_opts *opts, struct buf *why) must_check;

/*
 * Changes what is counted, right after a flush. Rows have no value of events that stand still: 0.
 * 0 or -errno.
 */
int top__spare(struct session *s, const struct top_thrift *thrift) must_check;

/* Whether an event has counters of its own, to stand still; others cost nothing. */
bool top__may_be_off(const struct session *s, size_t event);

/* All below: as of the last flush, or of the start. */
void top__stats(const struct session *s, struct top_stats *out);
uint64_t top__now_ns(const struct session *s); /* when it was, CLOCK_MONOTONIC */

/*
 * CPUs that were online at some time between the last two flushes: their time is not more than that
 * of so many. Before the start: that are online.
 */
size_t top__nr_cpus(const struct session *s);

/*
 * Why an event is not counted: the -errno of opening it, and a sentence; 0 and NULL: it is. Its
 * values are 0 then.
 */
int top__left_out(const struct session *s, size_t event, const char **why);

#endif
