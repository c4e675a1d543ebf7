/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live/top_tasks.h - what tasks use, interval by interval: the data behind a live view.
 *
 *	probe/top (counters charged to tasks) -> model/live
 */
#ifndef PMUTRACE_LIVE_TOP_TASKS_H
#define PMUTRACE_LIVE_TOP_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "model/live.h"
#include "probe/top.h"

struct top_tasks;

struct top_tasks_opts {
	const struct perf_events *events; /* up to TOP_EVENTS; items: until close */
	uint32_t max_keys;		  /* tasks per CPU between two polls; 0: probe/top.h */
	/*
	 * Threads are not told apart: live_task.tid is 0. Switches among the threads of a process
	 * cost less then.
	 */
	bool processes_only;
	bool measures_all; /* top_opts.measures_all */
};

/* Of a row's values: these, then one for each event. */
enum top_tasks_value {
	TOP_TASKS_TIME = LIVE_TIME,	    /* ns on CPUs */
	TOP_TASKS_SWITCHES = LIVE_SWITCHES, /* off them */
	TOP_TASKS_EVENTS = LIVE_EVENTS,
};

/*
 * Everything is loaded, and off. Events that cannot be counted are left out: live_event.why says
 * so. @why: on error a sentence. 0 or -errno.
 */
int top_tasks__open(struct top_tasks **out, const struct top_tasks_opts *opts,
		    struct buf *why) must_check;
void top_tasks__close(struct top_tasks *t);
int top_tasks__start(struct top_tasks *t) must_check;

/*
 * Between refreshes: makes room for new tasks when there is little left. To be called at least as
 * often as top_tasks__patience_ms() says, or tasks that are new may be lost, which is counted. 0 or
 * -errno.
 */
int top_tasks__poll(struct top_tasks *t) must_check;
unsigned top_tasks__patience_ms(const struct top_tasks *t);

/*
 * CPU time that the BPF programs of another source of the view took: is added to own_bpf_ns of the
 * interval that the next refresh ends.
 */
void top_tasks__add_own(struct top_tasks *t, uint64_t ns);

/*
 * Counts less from now on, right after a refresh: probe/top.h. Events that stand still have a
 * live_event.why. A pause is in no interval: the first one after it begins with its end, and until
 * then there is nothing to refresh. 0 or -errno.
 */
int top_tasks__spare(struct top_tasks *t, const struct top_thrift *thrift) must_check;

/* CPU time of its BPF programs, up to now. */
uint64_t top_tasks__own_ns(const struct top_tasks *t);

/* The interval up to now into the model, instead of the last one. *ns: how long it was. */
int top_tasks__refresh(struct top_tasks *t, uint64_t *ns) must_check;

/* The last interval; before the first only its events. Another object after each refresh. */
const struct live *top_tasks__live(const struct top_tasks *t);

#endif
