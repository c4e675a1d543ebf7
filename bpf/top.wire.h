/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * top.wire.h - what the programs that charge counters to tasks and their loader agree on.
 *
 * Events are counted by CPU, all the time. When a CPU goes from one task to another, what it has
 * counted since the last time is charged to the task that ran: exact for any number of tasks, with
 * as many events as there are CPUs. A key of the tables of table.wire.h is struct sample_key; its
 * values are those of enum top_value, then one for each event.
 */
#ifndef PMUTRACE_TOP_WIRE_H
#define PMUTRACE_TOP_WIRE_H

#include <linux/types.h>

#include "sample.wire.h"
#include "table.wire.h"

enum { TOP_EVENTS = 8 };

enum top_value {
	TOP_TIME,     /* ns on a CPU; max: the id of the process that is its parent, see below */
	TOP_SWITCHES, /* how often it was switched out; min, max: moments, see below */
	TOP_VALUES,
};

/*
 * Of TOP_TIME, max: as it was when the first piece of the key was charged. /proc does not tell it
 * of those that have ended by the time when somebody looks.
 */

/*
 * Of TOP_SWITCHES, min: the end of the last run that was not its last one, max: of its last one.
 * CLOCK_MONOTONIC in ns, twice; 0: none. A flag in the lowest bit.
 */
enum { TOP_WITH_PROCESS = 1 }; /* no thread of the process is left */

static inline __u64 top_moment_ns(__u64 moment)
{
	return moment >> 1;
}

enum { TOP_VALUES_MAX = TOP_VALUES + TOP_EVENTS };

/* Why something is in no row, beside the losses of the tables. */
enum top_loss {
	TOP_LOST_COUNTER =
		TABLE_LOST_NR, /* a counter could not be read: that piece of a task's run */
	TOP_LOST_NR,
};

/* How an event is counted. */
enum top_counter {
	TOP_COUNTER_NONE, /* it is not: 0 */
	TOP_COUNTER_PERF, /* by a perf event of each CPU */
	TOP_COUNTER_TIME, /* it is what TOP_TIME is */
	/*
	 * It is TOP_SWITCHES. The kernel counts a switch after this program has run: a perf event
	 * would charge it to the task that is switched in.
	 */
	TOP_COUNTER_SWITCHES,
};

struct top_cfg {
	struct sample_cfg task; /* without BY_TID, BY_COMM: the name of the process */
	__u32 nr_events;
	__u32 measures_all;	    /* bool: what programs pass over costs, too */
	__u32 counters[TOP_EVENTS]; /* enum top_counter */
};

/*
 * A CPU: the task on it as sched_switch has told, since when, and the counters at that time. What
 * a switch needs is in the first cache lines.
 */
struct top_cpu {
	__u64 since_ns;	  /* 0: nothing is known yet */
	__u64 task;	  /* its address */
	__u64 passed;	  /* switches from one thread of the process to another since then */
	__u32 is_unknown; /* bool: what the counters were then could not be read */
	__u32 unused;
	__u64 counted[TOP_EVENTS];
	__u64 pad[4];
	/* Enabled and running times of the events, ns, when top_now was last run. */
	__u64 enabled_ns[TOP_EVENTS], running_ns[TOP_EVENTS];
};
_Static_assert(sizeof(struct top_cpu) == 256, "whole cache lines for each CPU");

struct top_control {
	__u32 on;   /* bool */
	__u32 less; /* enum by: BY_TID: threads are not told apart for now */
	__u32 off;  /* a bit for each event that is not counted for now; its counters stand still */
	__u32 unused;
	__u64 lost[TOP_LOST_NR]; /* from TOP_LOST_COUNTER on */
	/*
	 * Switches that were missed: the task switched out is not the one that was switched in.
	 * Their time and events are charged to the task that ran at the end.
	 */
	__u64 untold;
};

#endif
