/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/export_thrift.h - export --max-overhead: what an exporter measures less of, in which order.
 *
 *	rate	tasks are looked at half as often, up to three times
 *	events	lines of the configuration, from the last one on; then events of tasks, likewise
 *	pause	tasks are not counted
 *
 * What it answers for each CPU (serve/node_perf.h) costs nothing between requests, and stays.
 */
#ifndef PMUTRACE_SERVE_EXPORT_THRIFT_H
#define PMUTRACE_SERVE_EXPORT_THRIFT_H

#include "base/array.h"

struct export_thrift;
struct exposition;
struct probe_metrics;
struct task_metrics;

/* @share: of one CPU. 0 or -ENOMEM. */
int export_thrift__new(struct export_thrift **out, double share) must_check;
void export_thrift__free(struct export_thrift *t);

/*
 * What is measured now, borrowed until the next call: all of it, at first. @tasks: NULL: there are
 * none. 0 or -errno.
 */
int export_thrift__watch(struct export_thrift *t, struct task_metrics *tasks,
			 struct probe_metrics *probes) must_check;

/* What is watched is about to be closed, or to change. */
void export_thrift__leave(struct export_thrift *t);

/* Looks once a second, and has less or more measured. 0 or -errno. */
int export_thrift__poll(struct export_thrift *t) must_check;
unsigned export_thrift__patience_ms(const struct export_thrift *t);

/* Appends the families of serve/overhead_metrics.h. */
void export_thrift__put(const struct export_thrift *t, struct exposition *x);

#endif
