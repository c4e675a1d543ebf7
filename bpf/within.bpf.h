/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * within.bpf.h - is the current task inside of the function? `within` is filled by the object of
 * within.bpf.c; others get its map from the loader.
 */
#ifndef PMUTRACE_WITHIN_BPF_H
#define PMUTRACE_WITHIN_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "within.wire.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);	/* tid, or that of an idle task */
	__type(value, struct within_task);
} within SEC(".maps");

/* Every CPU has an idle task, and all of them are thread 0. */
static __always_inline __u32 within_key(__u32 tid)
{
	return tid ? tid : WITHIN_IDLE | bpf_get_smp_processor_id();
}

static __always_inline int is_within(__u32 tid)
{
	__u32 key = within_key(tid);
	struct within_task *t = bpf_map_lookup_elem(&within, &key);

	return t && t->depth;
}

#endif
