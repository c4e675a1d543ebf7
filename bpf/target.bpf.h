/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * target.bpf.h - which tasks a run is about, decided inside the kernel.
 *
 * `targets` holds process ids (-p, -- CMD) or thread ids (-t); programs at fork, exec and exit
 * keep it true: children join, the dead leave, so that a reused pid is nobody's target.
 */
#ifndef PMUTRACE_TARGET_BPF_H
#define PMUTRACE_TARGET_BPF_H

#include "sample.wire.h"
#include "task.bpf.h"

extern const volatile struct sample_cfg cfg;
extern struct sample_control control;

/* Tokens of the --comm glob as a bit set: which positions may each byte take. */
const volatile __u64 comm_accepts[256];
const volatile __u64 comm_stars; /* positions that are a '*' */
const volatile __u64 comm_end;	 /* the position behind the last token */

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

/* Runs the glob as an automaton over sets of positions: no backtracking, no early exit. */
static __always_inline int comm_matches(const char comm[SAMPLE_COMM_LEN])
{
	__u64 at = 1, matched = 0;

	for (int i = 0; i < SAMPLE_COMM_LEN; i++) {
		at |= (at & comm_stars) << 1; /* a star may match nothing */
		if (!comm[i]) {
			matched = at & comm_end;
			break;
		}
		at = (at & comm_stars) | (at & comm_accepts[(__u8)comm[i]]) << 1;
	}
	return matched != 0;
}

static __always_inline int in_wanted_cgroup(void)
{
	for (int level = 0; level < 64; level++) {
		__u64 id;

		if (!(cfg.cgroup_levels & (1ull << level)))
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

	if (!cfg.idle && !tid)
		return 0;
	if (cfg.filter_pid && !bpf_map_lookup_elem(&targets, &tgid))
		return 0;
	if (cfg.filter_tid && !bpf_map_lookup_elem(&targets, &tid))
		return 0;
	if (cfg.filter_uid && (__u32)bpf_get_current_uid_gid() != cfg.uid)
		return 0;
	if (cfg.cgroup_levels && !in_wanted_cgroup())
		return 0;
	if (cfg.filter_comm) {
		char comm[SAMPLE_COMM_LEN] = {};

		bpf_get_current_comm(comm, sizeof(comm));
		if (!comm_matches(comm))
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
		__sync_fetch_and_add(&control.children_dropped, 1);
	return 0;
}

/* TP_PROTO(struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm) */
SEC("raw_tp/sched_process_exec")
int target_exec(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	__u8 one = 1;

	if (tgid != cfg.command || control.started)
		return 0;
	control.started = 1;
	if (bpf_map_update_elem(&targets, &tgid, &one, BPF_ANY))
		__sync_fetch_and_add(&control.children_dropped, 1);
	return 0;
}

/* TP_PROTO(struct task_struct *p, ...) */
SEC("raw_tp/sched_process_exit")
int target_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *p = (void *)ctx->args[0];
	__u32 id = cfg.filter_tid ? BPF_CORE_READ(p, pid) : BPF_CORE_READ(p, tgid);

	if (!cfg.filter_tid && BPF_CORE_READ(p, signal, live.counter))
		return 0;
	bpf_map_delete_elem(&targets, &id); /* fails for everybody else's tasks */
	return 0;
}

#endif
