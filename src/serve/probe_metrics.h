/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/probe_metrics.h - metrics of probes: what the lines of a configuration count.
 *
 *	metrics:
 *	  switches: count sched:sched_switch --by prev_comm
 *	  mallocs: func libc:malloc --hist time
 *
 *	pmutrace_probe_hits_total{metric="switches",prev_comm="bash"}
 *	pmutrace_probe_duration_seconds_bucket{metric="mallocs",field="time",le="1.023e-06"}
 *
 * Each line is a `pmutrace` of its own (serve/probe_starter.h), which tells once a second what has
 * come together; what it said last is what is answered. Families are the same for all lines, and
 * `metric` is the line's name, so that dashboards know them; other labels are the line's keys. So
 * many rows of each have series of their own (serve/members.h), the rest is "other" in all labels.
 *
 *	pmutrace_probe_hits_total	counter: hits of probes, calls of functions
 *	pmutrace_probe_seconds_total	counter, by `part`: time, self, on-cpu, off-cpu of calls
 *	pmutrace_probe_events_total	counter, by `event`: what calls came to
 *	pmutrace_probe_value		summary, by `field`: of --sum, --avg and the like
 *	pmutrace_probe_duration_seconds	histogram, by `field`: of --hist, if it is a time
 *	pmutrace_probe_distribution	histogram, by `field`: of --hist of anything else
 *
 * A line that ends is started again, after 5 s, then 10, up to a minute: whether it counts, and
 * why not, is told; so is for how long it did not, and what was lost.
 */
#ifndef PMUTRACE_SERVE_PROBE_METRICS_H
#define PMUTRACE_SERVE_PROBE_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/buckets.h"

struct exposition;
struct probe_metrics;
struct probe_starter;

enum {
	PROBE_SERIES = 100,  /* of a line */
	PROBE_BUCKETS = 256, /* of a histogram */
};

/* What is to be known of a line beyond what it tells itself. Strings are copied. */
struct probe_line {
	const char *name;     /* the label `metric` */
	const char *text;     /* while it is the same, the line goes on counting */
	uint32_t index;	      /* in its configuration */
	const char *hist;     /* the field of its histogram; NULL: there is none */
	struct buckets range; /* of that: linear or not, lo, hi and step */
};

/* @starter: borrowed; NULL: no lines come. 0 or -ENOMEM. */
int probe_metrics__new(struct probe_metrics **out, struct probe_starter *starter) must_check;
void probe_metrics__free(struct probe_metrics *m);

/*
 * These lines, of that configuration, from now on: what was there already goes on, the rest ends.
 * @max_series: of each line. 0; -ENOMEM: all is as it was.
 */
int probe_metrics__set(struct probe_metrics *m, const struct probe_line *lines, size_t nr,
		       uint32_t configuration, size_t max_series) must_check;

/* Only the first @nr lines count from now on; others end, or are started again. */
void probe_metrics__limit(struct probe_metrics *m, size_t nr);
size_t probe_metrics__nr(const struct probe_metrics *m);

/*
 * Whether lines are to tell what their BPF programs cost: those that do otherwise are started anew.
 * 0 or -ENOMEM.
 */
int probe_metrics__measure_cost(struct probe_metrics *m, bool wanted) must_check;

/* CPU time of the lines' BPF programs, where they tell it (own_bpf_ns). */
uint64_t probe_metrics__own_ns(const struct probe_metrics *m);

/* Readable (poll) when a line has said something. */
int probe_metrics__fd(const struct probe_metrics *m);

/* Reads what there is, and starts lines that are to be started. 0 or -errno. */
int probe_metrics__poll(struct probe_metrics *m) must_check;

/* Milliseconds until that is to be called anyway. */
unsigned probe_metrics__patience_ms(const struct probe_metrics *m);

/* Appends the families. */
void probe_metrics__put(const struct probe_metrics *m, struct exposition *x);

/* What was put goes to whoever keeps it. */
void probe_metrics__are_read(struct probe_metrics *m);

#endif
