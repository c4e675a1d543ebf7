/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tick.bpf.h - finds the scheduler's tick among expiring timers, samples that are due in it, and
 * the registers that it has interrupted.
 *
 * The tick is the timer `sched_timer` in tick_cpu_sched of its CPU (kernel/time/tick-sched.c); the
 * interrupt has left the registers in __irq_regs (lib/irq_regs.c). No address of the kernel is
 * needed for either: a timer leads to hrtimer_bases of its CPU, and how far per-CPU variables are
 * apart is in the kernel's BTF, or in /proc/kallsyms.
 *
 * The tracepoint hrtimer_expire_entry is on every architecture. local_timer_entry is on x86 alone,
 * and is hit by every interrupt of the timer: 312 and 338 times a second on busy CPUs with a tick
 * of 250 Hz. It could only be held to a rate by time, and gives turns to the interrupts that wake
 * tasks as well: what was woken at any moment had 65 % of its CPU time (docs/tick.md).
 *
 * How often: each tick is a chance of hz in CONFIG_HZ, in turn, the remainder is carried. Ticks of
 * an idle CPU have their turn, too. A clock that asks how long ago the last sample was would give
 * the first tick after each long idle time one.
 */
#ifndef PMUTRACE_TICK_BPF_H
#define PMUTRACE_TICK_BPF_H

#include "clock.bpf.h"
#include "likely.h"
#if defined(__TARGET_ARCH_x86)
#include "orc.bpf.h"
#endif
#include "sample.wire.h"
#include "stack.bpf.h"
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

const volatile struct tick_cfg tick;

/* bool: samples are taken. Set by user space. */
volatile __u32 tick_on;

/* The rate, and a place for the next one: it changes as a whole, when the other is in force. */
volatile struct tick_rate tick_rates[2];
volatile __u32 tick_rate_now; /* which is in force */

/* How many innermost kernel frames are the program's and the tick's. Learned. */
volatile __u32 tick_own_frames;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader: CPUs */
	__type(key, __u32);
	__type(value, struct tick_cpu);
} ticks SEC(".maps");

/*
 * Is the timer the tick of its CPU? Then @t, the CPU's, has what later ticks need: all of it is in
 * one cache line, as most hits are of other timers or of ticks without a sample.
 */
static __always_inline int tick_learn(struct tick_cpu *t, struct hrtimer *timer)
{
	__u64 bases = (__u64)BPF_CORE_READ(timer, base, cpu_base);
	__u64 at = bases + tick.timer + bpf_core_field_offset(struct tick_sched, sched_timer);

	if ((__u64)timer != at)
		return 0;
	t->regs = bases + tick.regs;
	t->timer = at;
	return 1;
}

/* This CPU's, if the timer is its tick; else NULL. Nothing is asked twice: it never moves. */
static __always_inline struct tick_cpu *tick_of(__u64 timer)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct tick_cpu *t = bpf_map_lookup_elem(&ticks, &cpu);

	if (unlikely(!t))
		return NULL;
	if (likely(t->timer))
		return t->timer == timer ? t : NULL;
	return tick_learn(t, (void *)timer) ? t : NULL;
}

/* Counts a tick. Is a sample due in it? By which rate. */
static __always_inline int tick_is_due(struct tick_cpu *t, __u32 tid, struct tick_rate *rate)
{
	const __u32 now = tick_rate_now & 1;

	t->ticks++;
	t->busy += tid != 0;
	t->credit += tick_rates[now].each;
	if (likely(t->credit < TICK_SAMPLE))
		return 0;
	rate->sample_ns = tick_rates[now].sample_ns;
	t->credit -= TICK_SAMPLE;
	return tick_on;
}

/* The registers that the CPU's interrupt has interrupted. 0; -1: they cannot be read. */
static __always_inline int tick_regs(const struct tick_cpu *t, struct entry_regs *regs)
{
	const void *at;

	if (bpf_probe_read_kernel(&at, sizeof(at), (void *)t->regs) || !at)
		return -1;
	return read_entry_regs(at, regs);
}

/* Does the event want a sample of such registers? */
static __always_inline int tick_wants(const struct entry_regs *regs)
{
	return !(tick.exclude & (REGS_USER(regs) ? SAMPLE_NO_USER : SAMPLE_NO_KERNEL));
}

/* The frames behind the innermost @own. Do they begin with @ip? */
static __always_inline int tick_walk_from(struct scratch *s, void *ctx, __u32 own, __u64 ip)
{
	s->found.nr_kernel = 0;
	s->found.flaws = 0;
	walk_kernel(s, ctx, own);
	return s->found.nr_kernel && s->words[stack.first & (STACK_FIRST_MAX - 1)] == ip;
}

/*
 * Kernel frames from @ip on, where the tick has interrupted: the walk begins in this program. How
 * many frames that is in front of it is the same each time, but for other ways into the interrupt.
 */
static __always_inline void tick_ask_kernel(struct scratch *s, void *ctx, __u32 place, __u64 ip)
{
	int own = tick_own_frames;

	if (unlikely(!tick_walk_from(s, ctx, own, ip))) {
		own = clock_skip(ctx, place, ip);
		if (own <= 0 || !tick_walk_from(s, ctx, own, ip)) {
			s->words[stack.first & (STACK_FIRST_MAX - 1)] = ip;
			s->found.nr_kernel = 1;
			s->found.flaws = STACK_KERNEL_FAILED;
			return;
		}
		tick_own_frames = own;
	}
	/* The kernel's limit is for its frames and ours together. */
	if (s->found.nr_kernel + own >= tick.kernel_most)
		s->found.flaws |= STACK_KERNEL_TRUNCATED;
}

#if defined(__TARGET_ARCH_x86)

/* Are the innermost frames, as many as the kernel finds, those that were followed here? */
__noinline int tick_is_same(__u32 place, __u32 nr)
{
	struct orc_place *p = bpf_map_lookup_elem(&orc_places, &place);
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);

	if (!p || !s)
		return 0;
	/* The kernel's limit cuts off outermost frames of its walk, not of ours. */
	if (nr != s->found.nr_kernel && !(s->found.flaws & STACK_KERNEL_TRUNCATED))
		return 0;
	for (__u32 i = 0; i < ORC_VERIFIED; i++) {
		if (i >= nr || i >= s->found.nr_kernel)
			break;
		if (p->verified[i] != s->words[(stack.first + i) & (STACK_ROOM_WORDS - 1)])
			return 0;
	}
	return 1;
}

/* Has the kernel walk, too, whose frames are kept, and counts. */
static __always_inline void tick_verify_kernel(struct scratch *s, void *ctx, __u32 place, __u64 ip)
{
	struct orc_place *p = bpf_map_lookup_elem(&orc_places, &place);
	struct orc_counts *counts = bpf_map_lookup_elem(&orc_counts, &place);
	const __u32 nr = s->found.nr_kernel;

	if (!p || !counts)
		return;
	bpf_probe_read_kernel(p->verified, sizeof(p->verified),
			      &s->words[stack.first & (STACK_FIRST_MAX - 1)]);
	tick_ask_kernel(s, ctx, place, ip);
	if (!nr)
		counts->left++;
	else if (tick_is_same(place, nr))
		counts->same++;
	else
		counts->different++;
}

static __always_inline void tick_walk_kernel(struct scratch *s, void *ctx, __u32 place, __u64 ip)
{
	const int left = orc_walk_kernel(s, &s->entered, place);

	if (orc.verify)
		tick_verify_kernel(s, ctx, place, ip);
	else if (left)
		tick_ask_kernel(s, ctx, place, ip);
}

#else

static __always_inline void tick_walk_kernel(struct scratch *s, void *ctx, __u32 place, __u64 ip)
{
	tick_ask_kernel(s, ctx, place, ip);
}

#endif

#endif
