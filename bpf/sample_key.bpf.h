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
				      const volatile struct sample_cfg *cfg)
{
	if (cfg->by & BY_PID)
		key->tgid = pid_tgid >> 32;
	if (cfg->by & BY_TID)
		key->tid = pid_tgid;
	if (cfg->by & BY_COMM)
		bpf_get_current_comm(key->comm, TARGET_COMM_LEN);
	if (cfg->by & BY_CGROUP)
		key->cgroup = bpf_get_current_cgroup_id();
}

#endif
