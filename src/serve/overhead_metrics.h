/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/overhead_metrics.h - metrics of a budget that is kept (run/overhead.h):
 *
 *	pmutrace_overhead_limit_ratio			0.01: a percent of one CPU
 *	pmutrace_overhead_used_ratio			lately
 *	pmutrace_overhead_seconds_total{part="bpf"}	CPU time of programs; "user": of processes
 *	pmutrace_overhead_steps{kind="rate"}		that are taken now; keys, events, pause
 *	pmutrace_overhead_steps_taken_total		and how many were taken, and taken back
 *	pmutrace_overhead_paused_seconds_total		in which nothing was measured
 */
#ifndef PMUTRACE_SERVE_OVERHEAD_METRICS_H
#define PMUTRACE_SERVE_OVERHEAD_METRICS_H

struct exposition;
struct overhead_figures;

/* Appends the families; errors are in @x. */
void overhead_metrics__put(const struct overhead_figures *f, struct exposition *x);

#endif
