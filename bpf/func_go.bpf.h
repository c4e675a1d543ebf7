/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * func_go.bpf.h - follows goroutines with calls in progress, as they go on threads and off them.
 *
 * What a goroutine uses is what its thread uses while it is on it. Go's scheduler puts it there in
 * runtime.execute, and it is off when runtime.schedule looks for another (src/runtime/proc.go).
 */
#ifndef PMUTRACE_FUNC_GO_BPF_H
#define PMUTRACE_FUNC_GO_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "func.wire.h"
#include "func_deep.bpf.h"
#include "func_task.bpf.h"

/* The first argument of a Go function. */
static __always_inline __u64 go_argument(bpf_user_pt_regs_t *at)
{
#if defined(__TARGET_ARCH_x86)
	return at->rax;
#else
	return at->regs[0];
#endif
}

/* The goroutine that is on the thread goes off. */
static __always_inline void deep_take_off(struct func_account *a, __u64 id, __u32 cpu)
{
	struct func_stack_key key = { .id = a->goroutine, .tgid = id >> 32 };
	struct func_stack *s = bpf_map_lookup_elem(&call_stacks, &key);
	struct func_totals now = {};

	func_settle(a, cpu);
	if (s && s->thread == (__u32)id) {
		s->untold += !!func_read(a, cpu, &now);
		now.untold = a->untold;
		deep_add(s, &now);
		s->thread = 0;
		s->untold = now.untold;
		s->on_cpu_ns = now.on_cpu_ns;
		for (__u32 i = 0; i < FUNC_EVENTS && i < cfg.nr_events; i++)
			s->events[i] = now.events[i];
	}
	a->goroutine = 0;
	deep_leave_account(a, cpu);
}

/* At runtime.schedule, on the thread's own stack. */
SEC("kprobe")
int deep_go_off(bpf_user_pt_regs_t *ctx)
{
	__u64 id = bpf_get_current_pid_tgid(), thread = (__u32)id;
	struct func_account *a = bpf_map_lookup_elem(&accounts, &thread);

	if (a && a->goroutine)
		deep_take_off(a, id, bpf_get_smp_processor_id());
	return 0;
}

/* At runtime.execute(gp *g, ..). */
SEC("kprobe")
int deep_go_on(bpf_user_pt_regs_t *ctx)
{
	__u64 id = bpf_get_current_pid_tgid(), thread = (__u32)id;
	struct func_stack_key key = { .id = go_argument(ctx), .tgid = id >> 32 };
	struct func_stack *s = bpf_map_lookup_elem(&call_stacks, &key);
	__u32 cpu = bpf_get_smp_processor_id(), was_inside;
	struct func_totals now = {};
	struct func_account *a;

	if (!s || !s->depth)
		return 0;
	a = deep_account(thread);
	if (!a)
		return 0;
	if (a->goroutine)
		deep_take_off(a, id, cpu);
	was_inside = a->depth;
	if (func_begin(a, cpu, &now))
		return 0;
	s->untold += !!s->thread;
	deep_put_on(s, thread, &now);
	a->depth += !!was_inside;
	a->goroutine = key.id;
	return 0;
}

#endif
