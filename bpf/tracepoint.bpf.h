/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracepoint.bpf.h - what programs on tracepoints return; that of raw tracepoints is ignored.
 */
#ifndef PMUTRACE_TRACEPOINT_BPF_H
#define PMUTRACE_TRACEPOINT_BPF_H

enum {
	/*
	 * After 0 the hit is kept from every perf event of that tracepoint, also from what others
	 * count at the same time: perf_trace_run_bpf_submit(), kernel/events/core.c.
	 */
	TRACEPOINT_PASS_ON = 1,
};

#endif
