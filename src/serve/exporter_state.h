/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/exporter_state.h - what an exporter is inside: exporter.c opens its parts and exchanges
 * them, exporter_answers.c answers. For nobody else.
 */
#ifndef PMUTRACE_SERVE_EXPORTER_STATE_H
#define PMUTRACE_SERVE_EXPORTER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "event/event.h"
#include "serve/exporter.h"
#include "serve/own_metrics.h"

struct http_answer;
struct http_request;

/* Parts that are exchanged when what they were made of (key) is another. */
struct exporter_parts {
	struct buf listen_key, node_key, task_key;
	struct http_server *server;
	struct node_perf *node_perf;
	struct task_metrics *tasks; /* NULL: they are not asked for */
	struct perf_events events;  /* of theirs */
	bool profiles;
};

struct exporter {
	struct exporter_parts parts;
	struct probe_metrics *probes;
	struct export_thrift *thrift; /* NULL: what it costs does not matter */
	double max_overhead;	      /* of that */
	bool can_measure;	      /* what lines' programs cost, or */
	struct buf why_not;
	struct profiler *profiler; /* borrowed; NULL: there is none */
	uint64_t profiled;	   /* number of the request that waits for it; 0: none */
	int epoll;		   /* of the server, which may be exchanged */
	struct own_metrics own;
	bool has_reloaded, is_in_use; /* the configuration that was read last */
	double reloaded_s;	      /* when one that is in use was read, since 1970 */
	uint64_t polled_ns;
};

/* Of serve/http_server.h: what there is at a path. @arg: the exporter. 0, HTTP_LATER or -errno. */
int exporter__answer(void *arg, const struct http_request *request,
		     struct http_answer *a) must_check;

/* Answers who waits for a profile, if it is there. 0 or -errno with @why. */
int exporter__end_profile(struct exporter *e, struct buf *why) must_check;

#endif
