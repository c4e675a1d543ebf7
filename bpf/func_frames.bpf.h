/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * func_frames.bpf.h - the stack of measured calls that a task is in: finds the one that returns,
 * drops those left in another way, works out what each has cost.
 */
#ifndef PMUTRACE_FUNC_FRAMES_BPF_H
#define PMUTRACE_FUNC_FRAMES_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "fetch.bpf.h"
#include "func.wire.h"
#include "func_task.bpf.h"

/* THREAD_SIZE and IRQ_STACK_SIZE of x86_64 and arm64: both are aligned to it. */
enum { KERNEL_STACK_BYTES = 16384 };

/* Fetches the fields that are known at the entry only, and kept until the call is counted. */
static __always_inline void func_fetch_entry(void *ctx, __u32 func, __u64 fields[FUNC_FIELDS])
{
	for (__u32 i = 0; i < FUNC_FIELDS && i < cfg.nr_by; i++)
		if (!(cfg.by_ret & 1u << i))
			fetch_number(ctx, &cfg.by[i], func, &fields[i]);
}

static __always_inline void begin_frame(struct func_frame *f, __u64 sp, __u32 func,
					const struct func_totals *now)
{
	f->sp = sp;
	f->func = func;
	f->untold = now->untold;
	f->start_ns = now->now_ns;
	f->on_cpu_ns = now->on_cpu_ns;
	f->child_ns = 0;
	for (__u32 i = 0; i < FUNC_EVENTS && i < cfg.nr_events; i++) {
		f->events[i] = now->events[i];
		f->children[i] = 0;
	}
}

/*
 * Two probes that are not a function's ends (--from, --to): a task is in one interval at most,
 * which begins with the last hit of the first probe.
 */
static __always_inline int is_pair(void)
{
	return !cfg.is_user && !cfg.is_kernel;
}

static __always_inline void drop_begun(struct func_task *t)
{
	if (!t->account.depth)
		return;
	t->account.depth = 0;
	func_lose(FUNC_LOST_REPLACED);
}

/*
 * Stacks grow down. A call whose frame is at or below that of a new one has been left without a
 * return: longjmp(3), an exception. Of one at the same place that is certain only if it was of the
 * same function: the new one may be its tail call, unless that would have been seen. The kernel's
 * functions all return, but a return may go unseen when too many run at once (maxactive), and
 * interrupts have stacks of their own: only frames of the same stack are compared.
 */
static __always_inline void drop_left(struct func_task *t, __u64 sp, __u32 func)
{
	__u32 depth = t->account.depth;

	if (is_pair()) {
		drop_begun(t);
		return;
	}
	for (__u32 i = 0; i < FUNC_DEPTH; i++) {
		struct func_frame *f;

		if (!depth || depth > FUNC_DEPTH)
			break;
		f = &t->frames[(depth - 1) & (FUNC_DEPTH - 1)];
		if (f->sp > sp || (f->sp == sp && f->func != func && !cfg.decoded))
			break;
		if (cfg.is_kernel && (f->sp ^ sp) >= KERNEL_STACK_BYTES)
			break;
		depth--;
		func_lose(FUNC_LOST_NO_RETURN);
	}
	t->account.depth = depth;
}

/*
 * Takes the call that returns off the frames; calls further in are lost. NULL: its entry was not
 * seen. The loop keeps its result in memory: else newer verifiers follow each of its rounds to the
 * end of the program.
 */
static __always_inline struct func_frame *pop(struct func_task *t, __u64 sp, __u32 func)
{
	__u32 depth = t->account.depth;

	t->found = FUNC_DEPTH;
	for (__u32 i = 0; i < FUNC_DEPTH; i++) {
		const struct func_frame *f;

		if (!depth || depth > FUNC_DEPTH)
			break;
		depth--;
		f = &t->frames[depth & (FUNC_DEPTH - 1)];
		if (f->func == func && (!cfg.is_user || f->sp == sp)) {
			t->found = depth;
			break;
		}
	}
	barrier();
	depth = t->found;
	if (depth >= FUNC_DEPTH)
		return NULL;
	if (t->account.depth - depth > 1)
		__sync_fetch_and_add(&control.lost[FUNC_LOST_NO_RETURN],
				     t->account.depth - depth - 1);
	t->account.depth = depth;
	return &t->frames[depth & (FUNC_DEPTH - 1)];
}

/* The innermost call is of this function, and has put something on the stack. */
static __always_inline int is_inside(const struct func_task *t, __u64 sp, __u32 func)
{
	__u32 depth = t->account.depth;
	const struct func_frame *f = &t->frames[(depth - 1) & (FUNC_DEPTH - 1)];

	return depth && f->func == func && f->sp > sp;
}

static __always_inline __u64 time_of(const struct func_frame *f, const struct func_totals *now)
{
	return now->now_ns - f->start_ns;
}

/* Adds the call's cost to the caller's frame, as none of its own. */
static __always_inline void tell_caller(struct func_frame *caller, const struct func_frame *f,
					const struct func_totals *now)
{
	caller->child_ns += time_of(f, now);
	for (__u32 i = 0; i < FUNC_EVENTS && i < cfg.nr_events; i++)
		caller->children[i] += now->events[i] - f->events[i];
}

/* The n-th value of a call. */
static __always_inline __u64 value_of(const struct func_frame *f, const struct func_totals *now,
				      __u32 n)
{
	__u64 time = time_of(f, now), on_cpu = now->on_cpu_ns - f->on_cpu_ns;
	__u32 event = (n - FUNC_VALUES) / FUNC_EVENT_VALUES;

	switch (n) {
	case FUNC_TIME:
		return time;
	case FUNC_SELF_TIME:
		return time - f->child_ns;
	case FUNC_ON_CPU:
		return on_cpu;
	case FUNC_OFF_CPU:
		return time - on_cpu;
	}
	if (event >= FUNC_EVENTS)
		return 0;
	if ((n - FUNC_VALUES) % FUNC_EVENT_VALUES == FUNC_EVENT_TOTAL)
		return now->events[event] - f->events[event];
	return now->events[event] - f->events[event] - f->children[event];
}

#endif
