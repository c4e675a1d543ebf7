/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/task_metrics_state.h - what the parts of task metrics share: task_metrics.c counts,
 * task_metrics_put.c writes. For nobody else.
 */
#ifndef PMUTRACE_SERVE_TASK_METRICS_STATE_H
#define PMUTRACE_SERVE_TASK_METRICS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "live/top_tasks.h"
#include "model/live.h"
#include "model/loss.h"
#include "serve/members.h"
#include "serve/task_metrics.h"

struct cgroups;
struct procinfo;
struct processes;
struct strtab;

enum { VIEWS = 2 };

enum family { CPU_SECONDS, SWITCHES, EVENTS, SERIES, OTHERS, FAMILIES };

/* One kind of things that use something: cgroups, processes. */
struct task_view {
	enum live_by by;
	const char *id_label, *name_label;
	const char *family[FAMILIES]; /* names */
	struct members members;
	uint64_t looked_ns; /* for those that are gone */
};

struct event_times {
	uint64_t enabled_ns, running_ns;
};

struct task_metrics {
	struct top_tasks *top;
	struct procinfo *procinfo;
	struct processes *processes; /* names */
	bool has_proc;		     /* which has the numbers that the kernel tells */
	struct cgroups *cgroups;
	char *mount;	    /* of the cgroup2 hierarchy; NULL: there is none */
	bool names_cgroups; /* they can be found by their ids */
	struct task_view views[VIEWS];
	size_t nr_views;
	struct live_rows rows;
	struct metric_use *uses; /* of these rows; their names are in @names */
	size_t cap_uses;
	struct strtab *names;
	const struct perf_event_spec *specs;
	struct event_times *times;	     /* of each event, since the start */
	unsigned doublings;		     /* of the time between two looks */
	uint64_t refreshed_ns, collected_ns; /* the last time; for somebody who asked */
	struct losses losses;
	uint64_t untold, bpf_ns;
};

/* The last interval. */
static inline const struct live_about *task_metrics__about(const struct task_metrics *t)
{
	return live__interval(top_tasks__live(t->top));
}

/* The families of one kind of things; those about all of them. */
void task_metrics__put_view(const struct task_metrics *t, const struct task_view *v,
			    struct exposition *x);
void task_metrics__put_about(const struct task_metrics *t, struct exposition *x);

#endif
