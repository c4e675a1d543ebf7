/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/exporter.h - what answers at which path, and what it is made of: metrics of the machine
 * (serve/node_perf.h), of tasks (serve/task_metrics.h), of probes (serve/probe_metrics.h), and
 * profiles (serve/profiler.h).
 *
 * It can be told to be another one while it answers: parts whose options are the same go on
 * counting, others are opened before those that they replace are closed. Who asks meanwhile waits.
 */
#ifndef PMUTRACE_SERVE_EXPORTER_H
#define PMUTRACE_SERVE_EXPORTER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "serve/node_perf.h"
#include "serve/probe_metrics.h"

struct exporter;
struct probe_starter;
struct profiler;

/* All of it is borrowed during open and set. */
struct exporter_opts {
	const char *listen; /* serve/http_server.h */
	struct node_perf_opts node_perf;
	const char *by;		   /* "cgroup,process"; NULL: no metrics of tasks */
	const char *const *events; /* of tasks: "cycles,instructions" */
	size_t nr_events;
	size_t max_series; /* of cgroups, of processes, and of each line */
	bool profiles;
	double max_overhead; /* share of one CPU (serve/export_thrift.h); 0: no limit */
	const struct probe_line *lines;
	size_t nr_lines;
	uint32_t configuration; /* of these lines: serve/probe_starter.h */
};

/*
 * What can be known without opening anything: names, events, --by. 0; -EINVAL with @why; -ENOMEM.
 */
int exporter_opts__check(const struct exporter_opts *o, struct buf *why) must_check;

/*
 * Opens all of it. @profiler, @starter: borrowed; NULL: there is none. 0; -EINVAL: the options are
 * wrong; another -errno: all with @why.
 */
int exporter__open(struct exporter **out, const struct exporter_opts *opts,
		   struct profiler *profiler, struct probe_starter *starter,
		   struct buf *why) must_check;
void exporter__close(struct exporter *e);

/* Another one from now on. The same errors: then it is as it was. */
int exporter__set(struct exporter *e, const struct exporter_opts *opts, struct buf *why) must_check;

/* For metrics about it: a configuration was read, now; and whether it is in use. */
void exporter__note_reload(struct exporter *e, bool is_in_use);

/* Where it listens, and whether only programs of this machine can reach that. */
const char *exporter__address(const struct exporter *e);
bool exporter__is_local(const struct exporter *e);

/* For the run's loop (run/runloop.h). 0 or -errno, some with @why. */
int exporter__poll(struct exporter *e, struct buf *why) must_check;
unsigned exporter__patience_ms(const struct exporter *e);
size_t exporter__pollfds(const struct exporter *e, struct pollfd *fds, size_t max);

#endif
