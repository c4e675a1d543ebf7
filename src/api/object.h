/* SPDX-License-Identifier: BSD-2-Clause */
/* api/object.h - what an open object is inside. */
#ifndef PMUTRACE_API_OBJECT_H
#define PMUTRACE_API_OBJECT_H

#include "api/error.h"
#include "base/array.h"
#include "base/idmap.h"
#include "event/event.h"
#include "perf/counters.h"
#include "stat/presence.h"

/* An event as the caller numbers them: one or more of the list, next to each other. */
struct api_event {
	size_t first, nr; /* in the list */
	char *label;
	uint64_t overhead;
	bool refreshed;	 /* enabled by itself: pmutrace_refresh(), not with the others */
	uint64_t period; /* or frequency, once it is not that of the attr; 0: it is */
};

struct pmutrace_events {
	struct perf_events list;
	struct counters *counters;
	struct counter_place *places;
	size_t nr_places, cap_places;
	int cgroup_fd; /* -1: none */
	struct api_event *columns;
	size_t nr_columns, cap_columns;
	struct idmap by_id;		  /* ids in records -> columns */
	uint64_t *ids;			  /* [place * list.nr + event]; 0: not open there */
	pid_t opener;			  /* the thread that a place of pid 0 is */
	struct presence *presence;	  /* NULL: none of the places needs it */
	struct counter_value *now, *base; /* readings: [place * list.nr + event] */
	uint64_t *now_present_ns, *base_present_ns; /* with these: [place] */
	bool enabled;				    /* by us, and not disabled since */
	bool calibrated;
	int alone_fd; /* once calibrated: the only counter, if it can be read alone; else -1 */
};

/* Fills places: threads, CPUs. 0 or -errno with @why. */
int events__find_places(struct pmutrace_events *e, const struct pmutrace_target *target,
			bool each_cpu, struct buf *why) must_check;

/* The program type, bpf(2), that goes with the event. */
int column__bpf_type(const struct pmutrace_events *e, size_t event);

/* Calls @fn for each descriptor of the event. 0 or the first -errno that it returned. */
int column__each(const struct pmutrace_events *e, size_t event, int (*fn)(int fd, void *arg),
		 void *arg) must_check;

/* Whether an event writes records into a ring. */
bool attr__writes(const struct perf_event_attr *attr);

#endif
