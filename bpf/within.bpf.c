// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * within: entry and return of a function -> which tasks are inside of it.
 *
 * Of a program's function the outermost call alone is remembered, by its stack pointer: what
 * returns at or above it has left the function, however many calls in between were left by
 * longjmp(3) or had no return probe (the kernel keeps 64 of them). Functions of the kernel all
 * return, and may be entered again by interrupts on another stack, so their calls are counted.
 *
 * A task has an entry here from when it enters until it returns, ends or, of programs, replaces
 * its program. It alone writes it.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "task.bpf.h"
#include "within.bpf.h"

const volatile struct within_cfg cfg;
struct within_control control;

static __always_inline __u32 current_key(void)
{
	return within_key(bpf_get_current_pid_tgid());
}

SEC("kprobe")
int within_entry(bpf_user_pt_regs_t *ctx)
{
	struct within_task begun = { .depth = 1 }, *t;
	__u32 key = current_key();

	if (cfg.is_user)
		begun.sp = call_sp(ctx, 0);
	t = bpf_map_lookup_elem(&within, &key);
	if (!t || !t->depth) {
		if (bpf_map_update_elem(&within, &key, &begun, BPF_ANY))
			__sync_fetch_and_add(&control.dropped, 1);
	} else if (!cfg.is_user) {
		t->depth++;
	} else if (begun.sp >= t->sp) {
		/* Stacks grow down: that call has been left. */
		__sync_fetch_and_add(&control.left, 1);
		t->sp = begun.sp;
	}
	return 0;
}

SEC("kprobe")
int within_return(bpf_user_pt_regs_t *ctx)
{
	__u32 key = current_key();
	struct within_task *t = bpf_map_lookup_elem(&within, &key);

	if (!t || !t->depth)
		return 0;
	if (cfg.is_user) {
		if (call_sp(ctx, !cfg.decoded) < t->sp)
			return 0;
		t->depth = 0;
	} else {
		t->depth--;
	}
	/* If the entry cannot be deleted now, its depth of 0 says that the task is outside. */
	if (!t->depth)
		bpf_map_delete_elem(&within, &key);
	return 0;
}

/*
 * TP_PROTO(struct task_struct *parent, struct task_struct *child): a new process goes on in the
 * middle of its parent's calls, and will return from them. A thread has a stack of its own.
 */
SEC("raw_tp/sched_process_fork")
int within_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	__u32 from = BPF_CORE_READ(parent, pid), to = BPF_CORE_READ(child, pid);
	struct within_task *t = bpf_map_lookup_elem(&within, &from), copy;

	if (!t || !t->depth || BPF_CORE_READ(parent, tgid) == BPF_CORE_READ(child, tgid))
		return 0;
	copy = *t;
	if (bpf_map_update_elem(&within, &to, &copy, BPF_ANY))
		__sync_fetch_and_add(&control.dropped, 1);
	return 0;
}

/*
 * TP_PROTO(struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm): a thread that is not
 * its process's first gets that one's id. It is still inside of the kernel's functions.
 */
SEC("raw_tp/sched_process_exec")
int within_exec(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 now = bpf_get_current_pid_tgid(), before = ctx->args[1];
	struct within_task *t = bpf_map_lookup_elem(&within, &before), copy;

	if (!cfg.is_user && now == before)
		return 0;
	bpf_map_delete_elem(&within, &now);
	if (!cfg.is_user && t) {
		copy = *t;
		if (bpf_map_update_elem(&within, &now, &copy, BPF_ANY))
			__sync_fetch_and_add(&control.dropped, 1);
	}
	bpf_map_delete_elem(&within, &before);
	return 0;
}

/*
 * TP_PROTO(struct task_struct *p): the last of a task. After sched_process_exit it runs on in the
 * kernel, and enters functions such as __schedule() from which it will not return.
 */
SEC("raw_tp/sched_process_free")
int within_free(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *p = (void *)ctx->args[0];
	__u32 key = BPF_CORE_READ(p, pid);

	bpf_map_delete_elem(&within, &key); /* fails for most */
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
