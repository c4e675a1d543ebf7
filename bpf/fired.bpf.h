/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fired.bpf.h - the sum of what each event's samples stand for, on each CPU.
 *
 * Counted before any filter: the loader holds it against what the event itself has counted
 * (probe/witness.h).
 */
#ifndef PMUTRACE_FIRED_BPF_H
#define PMUTRACE_FIRED_BPF_H

#include "sample.wire.h"
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader: CPUs * events */
	__type(key, __u32);
	__type(value, struct sample_fired);
} fired SEC(".maps");

/*
 * Adds a sample. In frequency mode the kernel begins a period anew when the next one is to be less
 * than an eighth of what is left of it (perf_adjust_period(), kernel/events/core.c): no sample will
 * stand for what was counted of it. That shows as a much shorter period: restarts.
 */
static __always_inline void fire(struct sample_fired *f, __u64 period, int busy)
{
	f->samples++;
	f->periods += period;
	if (busy)
		f->busy += period;
	if (period < f->last / 8)
		f->restarts += f->last;
	f->last = period;
	if (period > f->longest)
		f->longest = period;
}

static __always_inline struct sample_fired *fired_at(__u32 event, __u32 nr_events)
{
	__u32 at = bpf_get_smp_processor_id() * nr_events + event;

	return bpf_map_lookup_elem(&fired, &at);
}

#endif
