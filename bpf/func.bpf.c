// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * func: calls -> time and events by function, task, fields and caller.
 *
 * At the entry what the task has used up to now is put into a frame of the task's own
 * (func_task.bpf.h); at the return the difference is counted in the table (func_count.bpf.h), and
 * given to the frame below, whose own part it is not.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "func.wire.h"
#include "func_count.bpf.h"
#include "func_deep.bpf.h"
#include "func_exit.bpf.h"
#include "func_frames.bpf.h"
#include "func_go.bpf.h"
#include "func_match.bpf.h"
#include "func_task.bpf.h"
#include "target.bpf.h"
#include "task.bpf.h"
#include "tracepoint.bpf.h"

/*
 * Where the call is on its stack. For fentry and fexit it is the address of their arguments, which
 * are in the frame of the function's trampoline: stored in memory the pointer becomes a number.
 */
static __always_inline __u64 frame_sp(void *ctx, enum kind kind, struct func_task *t, int at_return)
{
	if (kind == KIND_TRAMPOLINE)
		*(void *volatile *)&t->place = ctx;
	else if (has_registers(kind))
		return call_sp(ctx, at_return && !cfg.decoded);
	else
		return 0;
	return *(volatile __u64 *)&t->place;
}

/* The thread's id; 0: an idle task. Each CPU has one, all with this id. */
static __always_inline __u64 task_id(void)
{
	return (__u32)bpf_get_current_pid_tgid();
}

static __always_inline struct func_task *find_task(__u64 id)
{
	struct func_task *t = bpf_map_lookup_elem(&tasks, &id);

	if (t)
		return t;
	if (bpf_map_update_elem(&tasks, &id, (void *)&empty_task, BPF_NOEXIST)) {
		func_lose(FUNC_LOST_TASKS);
		return NULL;
	}
	return bpf_map_lookup_elem(&tasks, &id);
}

/*
 * The address that the call returns to, taken at the entry: at the return kernels before 5.15 show
 * the trampoline of their return probe instead, which is put there after the program at the entry.
 */
static __always_inline __u64 kernel_caller(bpf_user_pt_regs_t *at)
{
#if defined(__TARGET_ARCH_x86)
	__u64 caller = 0;

	bpf_probe_read_kernel(&caller, sizeof(caller), (const void *)REGS_SP(at));
	return caller;
#else
	return at->regs[30];
#endif
}

static __always_inline void push(struct func_task *t, __u32 depth, void *ctx, enum kind kind,
				 __u64 sp, __u32 func, const struct func_totals *now)
{
	struct func_frame *f = &t->frames[depth & (FUNC_DEPTH - 1)];

	begin_frame(f, sp, func, now);
	func_fetch_entry(ctx, func, f->fields);
	if (cfg.caller && kind == KIND_KERNEL)
		f->caller = kernel_caller(ctx);
	if (!depth)
		t->over = 0;
	barrier();
	t->account.depth = depth + 1;
}

/* 1: the call's return is to be seen. */
static __always_inline int note(struct func_task *t, void *ctx, enum kind kind)
{
	__u32 func = func_of(ctx);
	__u64 sp = frame_sp(ctx, kind, t, 0);
	struct func_totals now = {};
	__u32 depth;

	drop_left(t, sp, func);
	barrier(); /* as in pop(): for the verifier, all rounds of the loop end alike */
	depth = t->account.depth;
	if (depth >= FUNC_DEPTH) {
		t->over += !cfg.is_user && !cfg.is_session; /* else known by stack pointer */
		func_lose(FUNC_LOST_DEPTH);
		return 0;
	}
	if (func_begin(&t->account, bpf_get_smp_processor_id(), &now))
		return 0;
	push(t, depth, ctx, kind, sp, func, &now);
	return 1;
}

/*
 * Takes the task's frames. A kernel function may be called by an interrupt while a program is at
 * work on them: 0 then, and that call is left out, entry and return.
 */
static __always_inline int is_free(struct func_task *t)
{
	if (!cfg.is_kernel)
		return 1;
	if (t->busy)
		return 0;
	t->busy = 1;
	barrier();
	return 1;
}

static __always_inline void set_free(struct func_task *t)
{
	barrier();
	t->busy = 0;
}

/* 1: the call's return is to be seen. */
static __always_inline int entry(void *ctx, enum kind kind)
{
	__u64 id = task_id();
	struct func_task *t;
	int noted;

	if (!is_wanted(ctx, func_of(ctx)))
		return 0;
	t = id ? find_task(id) : NULL;
	if (!t)
		return 0;
	if (!is_free(t)) {
		func_lose(FUNC_LOST_NESTED);
		return 0;
	}
	noted = note(t, ctx, kind);
	set_free(t);
	return noted;
}

static __always_inline void end_call(struct func_task *t, void *ctx, enum kind kind)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u64 sp = frame_sp(ctx, kind, t, 1);
	struct func_totals now = {};
	struct func_frame *f;
	long err = 0;

	if (t->account.depth) {
		func_settle(&t->account, cpu);
		err = func_read(&t->account, cpu, &now);
	} else {
		now.now_ns = bpf_ktime_get_ns();
	}
	if (t->account.depth == FUNC_DEPTH && t->over) {
		t->over--;
		return;
	}
	f = pop(t, sp, func_of(ctx));
	if (!f) {
		if (!exit_is_jump(ctx) || !is_inside(t, sp, func_of(ctx)))
			tell_unmatched(ctx);
		return;
	}
	/* The caller's frame; for the outermost call it is one that is not in use. */
	end_frame(ctx, kind, f, &t->frames[(t->account.depth - 1) & (FUNC_DEPTH - 1)], &now, err,
		  f->untold == t->account.untold && !t->account.is_out);
	if (!t->account.depth)
		func_set_inside(cpu, 0);
}

static __always_inline int leave(void *ctx, enum kind kind)
{
	__u64 id = task_id();
	struct func_task *t;

	if (!id || (has_registers(kind) && !exit_is_taken(ctx)))
		return 0;
	t = bpf_map_lookup_elem(&tasks, &id);
	if (!t) {
		tell_unmatched(ctx);
		return 0;
	}
	if (!is_free(t))
		return 0;
	end_call(t, ctx, kind);
	set_free(t);
	return 0;
}

/* At a function's entry, or the first of two probes. */
SEC("kprobe")
int func_entry(void *ctx)
{
	entry(ctx, KIND_KERNEL);
	return 0;
}

SEC("tracepoint")
int func_entry_rec(void *ctx)
{
	entry(ctx, KIND_RECORD);
	return TRACEPOINT_PASS_ON;
}

SEC("raw_tp")
int func_entry_raw(struct bpf_raw_tracepoint_args *ctx)
{
	entry(ctx, KIND_RAW);
	return 0;
}

/* At its return, or the second of them. */
SEC("kprobe")
int func_return(void *ctx)
{
	return leave(ctx, KIND_KERNEL);
}

SEC("kprobe")
int func_return_usr(void *ctx)
{
	return leave(ctx, KIND_USER);
}

SEC("tracepoint")
int func_return_rec(void *ctx)
{
	leave(ctx, KIND_RECORD);
	return TRACEPOINT_PASS_ON;
}

SEC("raw_tp")
int func_return_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return leave(ctx, KIND_RAW);
}

/* Entry and return: 6.10, of programs 6.13. The kernel skips the return if the entry returns 1. */
extern _Bool bpf_session_is_return(void) __ksym __weak;

SEC("kprobe")
int func_session(void *ctx)
{
	return bpf_session_is_return() ? leave(ctx, KIND_KERNEL) : !entry(ctx, KIND_KERNEL);
}

SEC("kprobe")
int func_session_usr(void *ctx)
{
	return bpf_session_is_return() ? leave(ctx, KIND_USER) : !entry(ctx, KIND_USER);
}

/* By trampoline, of one function, which is set before load. */
SEC("fentry")
int func_fentry(void *ctx)
{
	entry(ctx, KIND_TRAMPOLINE);
	return 0;
}

SEC("fexit")
int func_fexit(void *ctx)
{
	return leave(ctx, KIND_TRAMPOLINE);
}

static __always_inline void func_abandon(__u64 pid_tgid, enum func_loss why)
{
	__u64 id = (__u32)pid_tgid;
	struct func_task *t;

	if (is_deep()) {
		deep_abandon(pid_tgid, why);
		return;
	}
	t = bpf_map_lookup_elem(&tasks, &id);
	if (!t)
		return;
	__sync_fetch_and_add(&control.lost[why], t->account.depth);
	t->account.depth = 0;
}

/* TP_PROTO(struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm) */
SEC("raw_tp/sched_process_exec")
int func_exec(struct bpf_raw_tracepoint_args *ctx)
{
	func_abandon(bpf_get_current_pid_tgid(), FUNC_LOST_EXEC);
	return 0;
}

/* TP_PROTO(struct task_struct *p, ...) */
SEC("raw_tp/sched_process_exit")
int func_exit(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 id = (__u32)bpf_get_current_pid_tgid();

	func_abandon(bpf_get_current_pid_tgid(), FUNC_LOST_EXIT);
	bpf_map_delete_elem(&tasks, &id);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
