/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Only the kernel-private types and members that bpf/ reads. CO-RE relocates by name at
 * load time, so order and offsets here mean nothing. Public types come from the kernel's
 * UAPI headers.
 */
#ifndef PMUTRACE_VMLINUX_H
#define PMUTRACE_VMLINUX_H

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#define CORE __attribute__((preserve_access_index))

struct mm_struct {
	unsigned long start_stack;
} CORE;

struct cgroup {
	int level;
	__u64 ancestor_ids[1]; /* before 6.1 */
} CORE;

struct css_set {
	struct cgroup *dfl_cgrp;
} CORE;

typedef struct {
	int counter;
} CORE atomic_t;

struct signal_struct {
	atomic_t live; /* threads that have not begun to exit */
} CORE;

/* Of the architecture at hand: what system calls are told by. */
#if defined(__TARGET_ARCH_x86)
struct thread_info {
	__u32 status;
} CORE;

struct pt_regs___call {
	unsigned long di;
	unsigned long si;
	unsigned long dx;
	unsigned long r10;
	unsigned long r8;
	unsigned long r9;
	unsigned long orig_ax;
} CORE;
#elif defined(__TARGET_ARCH_arm64)
struct thread_info {
	unsigned long flags;
} CORE;

struct pt_regs___call {
	__u64 regs[31];
	__u64 orig_x0;
	__s32 syscallno;
} CORE;
#endif

#if defined(__TARGET_ARCH_x86)
struct thread_struct {
	unsigned long fsbase;
} CORE;
#elif defined(__TARGET_ARCH_arm64)
struct thread_struct {
	struct {
		unsigned long tp_value;
	} uw;
} CORE;
#endif

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int pid;
	int tgid;
	struct mm_struct *mm;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	void *stack;
	char comm[16];
	unsigned int in_execve : 1;
	struct css_set *cgroups;
	struct signal_struct *signal;
	struct thread_struct thread;
} CORE;

struct hrtimer_cpu_base {
	unsigned int cpu;
} CORE;

struct hrtimer_clock_base {
	struct hrtimer_cpu_base *cpu_base;
} CORE;

struct hrtimer {
	void *function;
	struct hrtimer_clock_base *base;
} CORE;

struct tick_sched {
	struct hrtimer sched_timer;
} CORE;

#if defined(__TARGET_ARCH_x86)
struct orc_entry {
	__s16 sp_offset;
	__s16 bp_offset;
	unsigned int sp_reg : 4;
	unsigned int bp_reg : 4;
	unsigned int type : 3;
	unsigned int end : 1; /* before 6.4, which has other types */
} __attribute__((packed)) CORE;
#endif

struct hw_perf_event {
	__u64 last_period;
	struct hrtimer hrtimer;
} CORE;

struct perf_event {
	struct hw_perf_event hw;
	__u64 id;
} CORE;

/* What the context of a perf event's program is in truth. */
struct bpf_perf_event_data_kern {
	void *regs;
	void *data;
	struct perf_event *event;
} CORE;

#endif
