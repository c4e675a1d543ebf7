/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/own_metrics.h - what the exporter itself costs: the metrics that all processes have
 * (process_cpu_seconds_total and the like), its version, and how long answers took.
 */
#ifndef PMUTRACE_SERVE_OWN_METRICS_H
#define PMUTRACE_SERVE_OWN_METRICS_H

#include <stdint.h>

struct exposition;

struct own_metrics {
	double start_time_s; /* of this process, since 1970 */
	uint64_t nr_scrapes; /* answered before */
	uint64_t scrape_ns;  /* what these took */
};

/* Notes when it began. */
void own_metrics__begin(struct own_metrics *m);

/* What cannot be read is left out. */
void own_metrics__put(const struct own_metrics *m, struct exposition *x);

#endif
