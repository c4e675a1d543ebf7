/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sample_key.bpf.h - fills the part of a key that says which task it is of.
 */
#ifndef PMUTRACE_SAMPLE_KEY_BPF_H
#define PMUTRACE_SAMPLE_KEY_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "sample.wire.h"

/* @key: all 0. */
static __always_inline void take_task(struct sample_key *key, __u64 pid_tgid,
				      const volatile struct sample_cfg *by)
{
	if (by->by_pid)
		key->tgid = pid_tgid >> 32;
	if (by->by_tid)
		key->tid = pid_tgid;
	if (by->by_comm)
		bpf_get_current_comm(key->comm, TARGET_COMM_LEN);
	if (by->by_cgroup)
		key->cgroup = bpf_get_current_cgroup_id();
}

#endif
