/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * target.bpf.h - which tasks a run is about, decided inside the kernel.
 *
 * `targets` holds process ids (-p, -- CMD) or thread ids (-t); programs at fork, exec and exit
 * keep it up to date: children are added, dead tasks removed, so that a reused pid is no target.
 */
#ifndef PMUTRACE_TARGET_BPF_H
#define PMUTRACE_TARGET_BPF_H

#include "glob.bpf.h"
#include "target.wire.h"
#include "task.bpf.h"
#include "within.bpf.h"

const volatile struct target_cfg target;
const volatile struct target_glob target_comm;
const volatile __u64 target_cpus[TARGET_CPU_WORDS];
struct target_control target_control;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);	/* tgid, or tid */
	__type(value, __u8);
} targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u64);	/* id in the cgroup2 hierarchy */
	__type(value, __u8);
} cgroups SEC(".maps");

static __always_inline int in_wanted_cgroup(void)
{
	for (int level = 0; level < 64; level++) {
		__u64 id;

		if (!(target.cgroup_levels & (1ull << level)))
			continue;
		id = ancestor_cgroup_id(level);
		if (id && bpf_map_lookup_elem(&cgroups, &id))
			return 1;
	}
	return 0;
}

static __always_inline int is_target(__u64 pid_tgid)
{
	__u32 tgid = pid_tgid >> 32, tid = pid_tgid;

	if (!target.idle && !tid)
		return 0;
	if (target.filter_cpu) {
		__u32 cpu = bpf_get_smp_processor_id();

		if (!(target_cpus[(cpu / 64) & (TARGET_CPU_WORDS - 1)] & 1ull << (cpu & 63)))
			return 0;
	}
	if (target.filter_pid && !bpf_map_lookup_elem(&targets, &tgid))
		return 0;
	if (target.filter_tid && !bpf_map_lookup_elem(&targets, &tid))
		return 0;
	if (target.within && !is_within(tid))
		return 0;
	if (target.filter_uid && (__u32)bpf_get_current_uid_gid() != target.uid)
		return 0;
	if (target.cgroup_levels && !in_wanted_cgroup())
		return 0;
	if (target.filter_comm) {
		char comm[TARGET_COMM_LEN] = {};

		bpf_get_current_comm(comm, sizeof(comm));
		if (glob_matches(&target_comm, comm, sizeof(comm)) <= 0)
			return 0;
	}
	return 1;
}

/* TP_PROTO(struct task_struct *parent, struct task_struct *child) */
SEC("raw_tp/sched_process_fork")
int target_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	__u32 from = BPF_CORE_READ(parent, tgid), to = BPF_CORE_READ(child, tgid);
	__u8 one = 1;

	if (from == to || !bpf_map_lookup_elem(&targets, &from))
		return 0;
	if (bpf_map_update_elem(&targets, &to, &one, BPF_ANY))
		__sync_fetch_and_add(&target_control.children_dropped, 1);
	return 0;
}

/* TP_PROTO(struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm) */
SEC("raw_tp/sched_process_exec")
int target_exec(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	__u8 one = 1;

	if (tgid != target.command || target_control.started)
		return 0;
	target_control.started = 1;
	if (bpf_map_update_elem(&targets, &tgid, &one, BPF_ANY))
		__sync_fetch_and_add(&target_control.children_dropped, 1);
	return 0;
}

/*
 * TP_PROTO(struct task_struct *p)
 * A task is gone when its parent has reaped it: threads that end later than the last instruction of
 * their process's last one are targets up to their end. The id was free some milliseconds before
 * that (release_task(), delayed_put_task_struct()), but ids are given in turn: it comes to another
 * task that soon only where hardly any is left.
 */
SEC("raw_tp/sched_process_free")
int target_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *p = (void *)ctx->args[0];
	__u32 id = BPF_CORE_READ(p, pid);

	if (!target.filter_tid && id != BPF_CORE_READ(p, tgid))
		return 0;
	bpf_map_delete_elem(&targets, &id); /* fails for everybody else's tasks */
	return 0;
}

#endif
