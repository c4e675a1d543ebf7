/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/task_metrics.h - metrics of what cgroups and processes use: CPU time, context switches, and
 * any events, exactly, by the session that charges counters to tasks (live/top_tasks.h).
 *
 *	pmutrace_cgroup_events_total{cgroup="/system.slice/web.service",container="",event="cycles"}
 *	pmutrace_process_cpu_seconds_total{pid="17",comm="web"}
 *
 * So many of each kind have series of their own at a time (serve/members.h); the rest is
 * cgroup="other", pid="other". A service that is started again goes on with its series; a process
 * that becomes another program has another one. What was lost, how much of
 * the time each event was on a counter, and what all this costs is told beside it.
 */
#ifndef PMUTRACE_SERVE_TASK_METRICS_H
#define PMUTRACE_SERVE_TASK_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"

struct exposition;
struct task_metrics;

enum { TASK_METRICS_SERIES = 100, TASK_METRICS_LOOK_S = 10 };

struct task_metrics_opts {
	const struct perf_events *events; /* items: until close */
	bool cgroups, processes;	  /* at least one of them */
	size_t max_series;		  /* of each; 0: TASK_METRICS_SERIES */
	bool measures_all;		  /* top_opts.measures_all */
};

/* Counts from here on. @why: on error a sentence. 0 or -errno. */
int task_metrics__open(struct task_metrics **out, const struct task_metrics_opts *opts,
		       struct buf *why) must_check;
void task_metrics__close(struct task_metrics *t);

/* To be called as often as task_metrics__patience_ms() says. 0 or -errno. */
int task_metrics__poll(struct task_metrics *t) must_check;
unsigned task_metrics__patience_ms(const struct task_metrics *t);

/*
 * Counts less from now on (live/top_tasks.h): tasks are looked at each TASK_METRICS_LOOK_S,
 * doubled so many times, and for who asks; the first @nr_events are counted; nothing while @paused.
 * 0 or -errno.
 */
int task_metrics__spare(struct task_metrics *t, unsigned doublings, size_t nr_events,
			bool paused) must_check;
size_t task_metrics__nr_events(const struct task_metrics *t);

/* CPU time of its BPF programs, up to now. */
uint64_t task_metrics__own_ns(const struct task_metrics *t);

/* What was collected goes to whoever keeps it: series that have ended may leave some time later. */
void task_metrics__are_read(struct task_metrics *t);

/*
 * Appends the families, with what was counted up to now; to who asks more often than ten times a
 * second, up to the last time. 0 or -errno; -ENOMEM may be in @x alone.
 */
int task_metrics__collect(struct task_metrics *t, struct exposition *x) must_check;

#endif
