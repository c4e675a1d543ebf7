/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * task.bpf.h - the current task and its user registers, on every kernel since 5.10.
 *
 * Differences between kernels and architectures live here, one function each.
 */
#ifndef PMUTRACE_TASK_BPF_H
#define PMUTRACE_TASK_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* include/linux/sched.h */
#define TASK_DEAD  0x00000080
#define PF_EXITING 0x00000004
#define PF_KTHREAD 0x00200000

struct user_regs {
	__u64 ip;
	__u64 sp;
	__u64 fp;
	__u32 is_return; /* ip is a return address */
	__u32 is_32bit;	 /* 32-bit code: words of its stack have four bytes */
};

#if defined(__TARGET_ARCH_x86)
#define REGS_IP(r)   ((r)->rip)
#define REGS_SP(r)   ((r)->rsp)
#define REGS_FP(r)   ((r)->rbp)
#define REGS_USER(r) (((r)->cs & 3) == 3)
#define REGS_32(r)   ((r)->cs == 0x23) /* __USER32_CS */
#define REGS_RET(r)  ((r)->rax)
#define REGS_ARG0(r) ((r)->rdi)
#define REGS_ARG1(r) ((r)->rsi)
#define REGS_ARG2(r) ((r)->rdx)
#define REGS_ARG3(r) ((r)->rcx)
#define REGS_ARG4(r) ((r)->r8)
#define REGS_ARG5(r) ((r)->r9)
enum { RETURN_BYTES = 8 }; /* that a return takes from the stack */
#elif defined(__TARGET_ARCH_arm64)
#define REGS_IP(r)   ((r)->pc)
#define REGS_SP(r)   ((r)->sp)
#define REGS_FP(r)   ((r)->regs[29])
#define REGS_USER(r) (((r)->pstate & 0xf) == 0)
#define REGS_32(r)   (((r)->pstate & 0x10) != 0) /* PSR_MODE32_BIT */
#define REGS_RET(r)  ((r)->regs[0])
#define REGS_ARG0(r) ((r)->regs[0])
#define REGS_ARG1(r) ((r)->regs[1])
#define REGS_ARG2(r) ((r)->regs[2])
#define REGS_ARG3(r) ((r)->regs[3])
#define REGS_ARG4(r) ((r)->regs[4])
#define REGS_ARG5(r) ((r)->regs[5])
enum { RETURN_BYTES = 0 };
#endif

/*
 * Where a call's return address is on the stack, which tells calls of a task apart: the same at
 * a function's entry and at its return, when x86_64 has taken it off.
 */
static __always_inline __u64 call_sp(bpf_user_pt_regs_t *at, int at_return)
{
#if defined(__TARGET_ARCH_x86)
	return REGS_SP(at) - (at_return ? 8 : 0);
#else
	return REGS_SP(at);
#endif
}

/*
 * Helpers newer than 5.10. The verifier drops the branch that a kernel does not have:
 * bpf_core_enum_value_exists() is a constant by then.
 */
#define HAVE_HELPER(name) bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_##name)

/* 5.11, commit 3ca1032ab7ab: a pointer that loads may follow without a helper. */
static __always_inline struct task_struct *current_task(void)
{
	if (HAVE_HELPER(get_current_task_btf))
		return bpf_get_current_task_btf();
	return (void *)bpf_get_current_task();
}

static __always_inline __u64 task_mm(struct task_struct *t)
{
	if (HAVE_HELPER(get_current_task_btf))
		return (__u64)t->mm;
	return (__u64)BPF_CORE_READ(t, mm);
}

/*
 * Where the stack that @sp is on ends, if that is less than @most away; 0: not known. Of the first
 * thread it is what execve(2) has put there; of others their thread-local storage, which C
 * libraries have at its upper end.
 */
static __always_inline __u64 task_stack_end(struct task_struct *t, __u64 sp, __u64 most)
{
	__u64 end = BPF_CORE_READ(t, mm, start_stack);

	if (end - sp < most)
		return end;
#if defined(__TARGET_ARCH_x86)
	end = BPF_CORE_READ(t, thread.fsbase);
#else
	end = BPF_CORE_READ(t, thread.uw.tp_value);
#endif
	return end - sp < most ? end : 0;
}

/* The task's css_set: cgroups of all hierarchies. Equal for tasks that are in the same ones. */
static __always_inline __u64 task_cgroups(struct task_struct *t)
{
	if (HAVE_HELPER(get_current_task_btf))
		return (__u64)t->cgroups;
	return (__u64)BPF_CORE_READ(t, cgroups);
}

static __always_inline __u32 task_flags(struct task_struct *t)
{
	if (HAVE_HELPER(get_current_task_btf))
		return t->flags;
	return BPF_CORE_READ(t, flags);
}

/* 5.14, commit 2f064a59a11f renamed it. */
struct task_struct___5_13 {
	long state;
} CORE;

/* The task is dead: this switch is its last, it does not run again. */
static __always_inline int task_is_dead(struct task_struct *t)
{
	struct task_struct___5_13 *old = (void *)t;

	if (bpf_core_field_exists(struct task_struct, __state))
		return BPF_CORE_READ(t, __state) & TASK_DEAD;
	return BPF_CORE_READ(old, state) & TASK_DEAD;
}

/*
 * The cgroup @level below the root of the cgroup2 hierarchy that the task is in; 0: none so deep.
 * Tracing programs have a helper since 5.15, commit 95b861a7935b; until 6.1, commit 7f203bc89eb6,
 * the ids were a member.
 */
static __always_inline __u64 ancestor_cgroup_id(int level)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	struct cgroup *own;
	__u64 id;

	if (!bpf_core_field_exists(struct cgroup, ancestor_ids))
		return bpf_get_current_ancestor_cgroup_id(level);
	own = BPF_CORE_READ(t, cgroups, dfl_cgrp);
	if (level > BPF_CORE_READ(own, level) ||
	    bpf_core_read(&id, sizeof(id), &own->ancestor_ids[level]))
		return 0;
	return id;
}

/*
 * Where the registers are with which the task entered the kernel. 5.15, commit dd6e10fbd9fb has a
 * helper; before it they are at the end of the task's kernel stack
 * (arch/x86/include/asm/processor.h, arch/arm64/include/asm/processor.h: task_pt_regs).
 */
static __always_inline const void *user_regs_of(struct task_struct *t)
{
	enum { THREAD_SIZE = 16384 };
	const void *stack;

	if (HAVE_HELPER(task_pt_regs))
		return (const void *)bpf_task_pt_regs(t);
	stack = BPF_CORE_READ(t, stack);
#if defined(__TARGET_ARCH_x86)
	return stack + THREAD_SIZE - sizeof(bpf_user_pt_regs_t);
#else
	/* struct pt_regs of arm64 goes on behind struct user_pt_regs. */
	return stack + THREAD_SIZE - 336;
#endif
}

/*
 * The program has been replaced, and the next one has not begun (fs/exec.c, between exec_mmap() and
 * start_thread()): registers are still those of the former, whose stack is gone with its memory.
 */
static __always_inline int task_has_no_stack(struct task_struct *t, __u64 sp)
{
	__u64 word;

	return bpf_core_field_exists(struct task_struct, in_execve) &&
	       BPF_CORE_READ_BITFIELD_PROBED(t, in_execve) &&
	       bpf_probe_read_user(&word, sizeof(word), (void *)sp);
}

/* What is read of struct pt_regs: the part of it that has all that is wanted. */
struct entry_regs {
#if defined(__TARGET_ARCH_x86)
	__u64 rbp, others[11], rip, cs, flags, rsp;
#else
	__u64 fp, lr, sp, pc, pstate;
#endif
};

/* @at: a struct pt_regs of the kernel. 0; -1: it cannot be read. */
static __always_inline int read_entry_regs(const void *at, struct entry_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	at += __builtin_offsetof(bpf_user_pt_regs_t, rbp);
#else
	at += 29 * sizeof(__u64);
#endif
	return bpf_probe_read_kernel(regs, sizeof(*regs), at) ? -1 : 0;
}

/* What a stack is followed from; @regs are those of user mode. */
static __always_inline void take_user_regs(struct user_regs *out, const struct entry_regs *regs)
{
	out->ip = REGS_IP(regs);
	out->sp = REGS_SP(regs);
#if defined(__TARGET_ARCH_x86)
	out->fp = REGS_FP(regs);
#else
	out->fp = regs->fp;
#endif
	out->is_return = 0;
	out->is_32bit = REGS_32(regs);
}

/*
 * The registers with which the task entered the kernel. -1: it has none, or no stack for them.
 * @regs: room, as a program's stack has little.
 */
static __always_inline int user_regs_at_entry(struct task_struct *t, struct user_regs *out,
					      struct entry_regs *regs)
{
	if (read_entry_regs(user_regs_of(t), regs))
		return -1;
	take_user_regs(out, regs);
	return REGS_USER(regs) && !task_has_no_stack(t, out->sp) ? 0 : -1;
}

/*
 * The number of the system call for which sys_enter or sys_exit was hit, as tracepoints of the
 * category syscalls have it, which are made from these two: trace_get_syscall_nr() in
 * kernel/trace/trace_syscalls.c, syscall_get_arguments() in asm/syscall.h. @regs: first argument of
 * the raw tracepoint.
 */
static __always_inline int call_number(struct pt_regs___call *regs)
{
#if defined(__TARGET_ARCH_x86)
	return (int)BPF_CORE_READ(regs, orig_ax);
#else
	return BPF_CORE_READ(regs, syscallno);
#endif
}

/* Made by 32-bit code, or by int 0x80: none of those tracepoints fires, the number means another.
 */
static __always_inline int call_is_compat(void)
{
	struct task_struct *t = (void *)bpf_get_current_task();
#if defined(__TARGET_ARCH_x86)
	enum { TS_COMPAT = 0x0002 }; /* asm/thread_info.h */

	return BPF_CORE_READ(t, thread_info.status) & TS_COMPAT;
#else
	enum { TIF_32BIT = 22 }; /* asm/thread_info.h */

	return BPF_CORE_READ(t, thread_info.flags) >> TIF_32BIT & 1;
#endif
}

/* The call's arguments for which @wanted has a bit. */
static __always_inline void call_arguments(struct pt_regs___call *regs, __u32 wanted, __u64 *args)
{
#if defined(__TARGET_ARCH_x86)
	if (wanted & 1)
		args[0] = BPF_CORE_READ(regs, di);
	if (wanted & 2)
		args[1] = BPF_CORE_READ(regs, si);
	if (wanted & 4)
		args[2] = BPF_CORE_READ(regs, dx);
	if (wanted & 8)
		args[3] = BPF_CORE_READ(regs, r10);
	if (wanted & 16)
		args[4] = BPF_CORE_READ(regs, r8);
	if (wanted & 32)
		args[5] = BPF_CORE_READ(regs, r9);
#else
	if (wanted & 1)
		args[0] = BPF_CORE_READ(regs, orig_x0);
	if (wanted & 2)
		args[1] = BPF_CORE_READ(regs, regs[1]);
	if (wanted & 4)
		args[2] = BPF_CORE_READ(regs, regs[2]);
	if (wanted & 8)
		args[3] = BPF_CORE_READ(regs, regs[3]);
	if (wanted & 16)
		args[4] = BPF_CORE_READ(regs, regs[4]);
	if (wanted & 32)
		args[5] = BPF_CORE_READ(regs, regs[5]);
#endif
}

#endif
