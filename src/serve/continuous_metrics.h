/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/continuous_metrics.h - how continuous profiles go, in a file that Prometheus' node_exporter
 * reads (its textfile collector), or anybody who knows serve/exposition.h's text format.
 *
 * The file is replaced as a whole (base/sink.h): who reads sees one window's or the next one's.
 * What is not known is left out. No metric is called process_*: these are the collector's own.
 */
#ifndef PMUTRACE_SERVE_CONTINUOUS_METRICS_H
#define PMUTRACE_SERVE_CONTINUOUS_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/loss.h"
#include "run/overhead.h"
#include "serve/contexts.h"
#include "serve/out_dir.h"
#include "serve/pusher.h"

/* Counts: since the start. Times: since 1970; 0: never. */
struct continuous_metrics {
	/* What was sampled. */
	uint64_t nr_windows, nr_failed; /* failed: some of a window could not be kept */
	uint64_t window_end_ns;		/* of the last one, and */
	uint64_t window_ns;		/* its length */
	struct losses losses;		/* of all windows: samples kept, lost, and flaws */
	bool has_budget;		/* --max-overhead: */
	struct overhead_figures overhead;
	/* Where profiles go. */
	bool has_push, has_dir, has_contexts;
	struct pusher_counts push;
	uint64_t waiting_bytes; /* UINT64_MAX: not known */
	struct out_dir_counts dir;
	struct contexts_counts contexts;
	uint64_t nr_unwritten; /* of this file */
};

/* Adds what a window has lost, and kept. */
void continuous_metrics__add_losses(struct continuous_metrics *m, const struct losses *of_window);

/* Appends all of them. 0 or -ENOMEM. */
int continuous_metrics__put(struct buf *out, const struct continuous_metrics *m) must_check;

/* Can there be such a file? 0; an error of base/sink.h. */
int continuous_metrics__check(const char *path) must_check;

/* 0; an error of base/sink.h: the file is what it was. */
int continuous_metrics__write(const char *path, const struct continuous_metrics *m) must_check;

#endif
