/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/counters_state.h - what a set of counters is inside: for those who open it, read it, and
 * mend it when CPUs come and go.
 */
#ifndef PMUTRACE_PERF_COUNTERS_STATE_H
#define PMUTRACE_PERF_COUNTERS_STATE_H

#include "perf/counters.h"

/* What is the same for an event on all places. */
struct opened {
	struct perf_event_attr attr; /* as it was opened */
	size_t leader;		     /* of its group on each place; itself without a group */
	size_t nr_members;	     /* of a leader */
	size_t nr_fit;		     /* of a leader: members that fit; 0: all of them */
	int err;
	bool any, user_only;
};

/* What an event had counted on a place when its CPU went offline; all of the times it did. */
struct kept {
	uint64_t value, enabled_ns, running_ns, nr_lost;
	bool open; /* it was open, and will be again when the CPU is back */
};

/* Of a place that a CPU is, or a cgroup on one. */
struct cpu_life {
	uint64_t measured_ns; /* CLOCK_MONOTONIC: what was missed before is accounted */
	uint64_t enabled_ns;  /* enabled time of the first open event, at measured_ns */
	bool away;	      /* its events are closed */
};

struct counters {
	const struct perf_events *events;
	struct opened *opened; /* by event */
	struct counter_place *places;
	size_t nr_events, nr_places;
	int *fds;	 /* [place * nr_events + event], or -errno: counters__error_at() */
	uint64_t *words; /* buffer for one read(2) */
	size_t max_words;
	size_t value_words; /* of each event in it: value, id, lost */
	size_t lost_word;   /* index of lost among these; 0: not asked for */
	size_t nr_open;
	enum reader reader;
	struct counters_opts opts; /* but for what is borrowed during open */
	struct cpu_life *lives;	   /* by place */
	struct kept *kept;	   /* as fds */
	bool group_reads;	   /* PERF_FORMAT_GROUP works: old kernels refuse it with inherit */
};

static inline int *counters__fd_at(const struct counters *c, size_t event, size_t place)
{
	return &c->fds[place * c->nr_events + event];
}

static inline struct kept *counters__kept_at(const struct counters *c, size_t event, size_t place)
{
	return &c->kept[place * c->nr_events + event];
}

/* Opens all events on a place; counters__error_at() tells what could not be. 0 or -errno with @why.
 */
int counters__open_place(struct counters *c, const struct counters_opts *opts, size_t place,
			 struct buf *why) must_check;

#endif
