/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * members.bpf.h - what a group counts between two samples of its leader on a CPU.
 *
 * At each sample of the run's first event all events of its group are read: what they have counted
 * since that CPU's last sample is charged to the stack of this one, whoever ran in between. The
 * leader's own count goes the same way, in place of its period, so that ratios are of counts of the
 * same time. Counters stand at 0 when events are opened: the first sample has a beginning, too.
 */
#ifndef PMUTRACE_MEMBERS_BPF_H
#define PMUTRACE_MEMBERS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "likely.h"
#include "sample.wire.h"
#include "table.bpf.h"

/* CPU * SAMPLE_GROUP + event of the group */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, __u32);
} members SEC(".maps");

/* By CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct sample_members);
} member_counts SEC(".maps");

/*
 * Before any filter. @since: what was counted since the last sample; 0 where a counter cannot be
 * read. @nr: members, constant in a run. bpf_perf_event_read() returns an error in the place of a
 * count.
 *
 * @left: a bit for each member that is left to the next sample. The sample is of the idle task
 * then, which is not wanted, and what such an event has counted was before the CPU idled: a fault,
 * a switch. What may happen in idle, as the leader's own time, is nobody's.
 */
static __always_inline void members_read(__u32 nr, __u32 left, __u64 *since)
{
	enum { MAX_ERRNO = 4095 };
	__u32 cpu = bpf_get_smp_processor_id();
	struct sample_members *m = bpf_map_lookup_elem(&member_counts, &cpu);

	for (__u32 i = 0; i < SAMPLE_GROUP; i++) {
		__u64 now;

		since[i] = 0;
		if (!m || i > nr || (i && left & 1u << (i - 1)))
			continue;
		now = bpf_perf_event_read(&members, cpu * SAMPLE_GROUP + i);
		if (unlikely(now >= -(__u64)MAX_ERRNO))
			continue;
		since[i] = now < m->last[i] ? now : now - m->last[i];
		m->last[i] = now;
	}
}

/* Charges what the members have counted to a slot of the table. */
static __always_inline void members_charge(struct table_slot *slot, __u32 index, __u32 nr,
					   const __u64 *counted)
{
	for (__u32 i = 0; i < SAMPLE_MEMBERS && i < nr; i++) {
		struct table_value *v;

		v = table_value_at(index, i);
		if (v)
			table_add(v, counted[i], slot->count == 1);
	}
}

#endif
