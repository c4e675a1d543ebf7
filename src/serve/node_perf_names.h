/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/node_perf_names.h - what node_exporter calls its events: metrics, help texts, the names
 * that its flags have.
 */
#ifndef PMUTRACE_SERVE_NODE_PERF_NAMES_H
#define PMUTRACE_SERVE_NODE_PERF_NAMES_H

#include <stddef.h>

enum node_perf_kind { NODE_PERF_HARDWARE, NODE_PERF_SOFTWARE, NODE_PERF_CACHE, NODE_PERF_KINDS };

struct node_perf_name {
	enum node_perf_kind kind;
	const char *flag;   /* "CpuCycles" */
	const char *metric; /* "node_perf_cpucycles_total" */
	const char *help;
	const char *event; /* as event/event.h reads it */
	const char *minus; /* hits: the misses among them; NULL: nothing */
};

/* The @i-th, or NULL behind the last. Of one kind they stand together. */
const struct node_perf_name *node_perf_name(size_t i);

#endif
