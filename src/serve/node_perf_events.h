/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/node_perf_events.h - flags of node_exporter -> events to be counted, and the metrics that
 * they are. What this machine does not know is no error, but told.
 */
#ifndef PMUTRACE_SERVE_NODE_PERF_EVENTS_H
#define PMUTRACE_SERVE_NODE_PERF_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"

struct node_perf_name;
struct node_perf_opts;
struct strtab;

enum { NODE_PERF_NO_EVENT = -1 };

struct node_metric {
	const char *name, *help; /* of the list's strings, or literals */
	int event;		 /* index into the list */
	int minus;		 /* of the misses among accesses; or NODE_PERF_NO_EVENT */
};

/* What is not counted, and why. */
struct unavailable {
	const char *event, *why;
};

/* Zero-initialise it. */
struct node_perf_events {
	struct perf_events list; /* accesses and misses of hits are groups */
	struct node_metric *metrics;
	size_t nr_metrics, cap_metrics;
	struct unavailable *unavailable;
	size_t nr_unavailable, cap_unavailable;
	struct strtab *strings;
};

/* 0; -EINVAL with @why: an unknown name, no tracepoint, or two of one metric; -ENOMEM. */
int node_perf_events__check(const struct node_perf_opts *o, struct buf *why) must_check;

/*
 * Anew: what the options ask for. @apart: by node_perf_name(), hits that there are none of; their
 * misses are events for themselves then. 0 or -ENOMEM.
 */
int node_perf_events__parse(struct node_perf_events *n, const struct node_perf_opts *o,
			    const bool *apart) must_check;
void node_perf_events__free(struct node_perf_events *n);

/* Whether the options ask for it. */
bool node_perf_events__is_wanted(const struct node_perf_name *name, const struct node_perf_opts *o);

/* Index of an event, or NODE_PERF_NO_EVENT. */
int node_perf_events__find(const struct node_perf_events *n, const char *name);

/* An event is not there, for a reason; once for each. 0 or -ENOMEM. */
int node_perf_events__lack(struct node_perf_events *n, const char *event,
			   const char *why) must_check;

#endif
