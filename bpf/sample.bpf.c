// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sample: perf events -> counts by task and stack.
 *
 * One sample's way: is it a target's? -> its stack into scratch (stack.bpf.h) -> counted by task
 * and stack (table.bpf.h). Every sample that passes the filters ends in a slot or in a loss
 * counter.
 *
 * The kernel passes a perf event's program over while a program of another perf event, kprobe or
 * tracepoint runs on that CPU (bpf_prog_active in bpf_overflow_handler(), kernel/events/core.c).
 * Of clock events those samples are taken by a raw tracepoint's program, which nothing passes over
 * (clock.bpf.h); of all others the event's own count tells how many there are (fired.bpf.h).
 */
#define STACK_SAMPLES /* stack.bpf.h, stack_copy.bpf.h */

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "clock.bpf.h"
#include "fired.bpf.h"
#include "likely.h"
#include "members.bpf.h"
#include "sample.wire.h"
#include "sample_key.bpf.h"
#include "stack.bpf.h"
#include "table.bpf.h"
#include "target.bpf.h"
#include "task.bpf.h"
#include "tick.bpf.h"

const volatile struct sample_cfg cfg;

/* What is left out for now, to cost less: halves of stacks, BY_KSTACK, BY_USTACK; SAMPLE_PAUSED. */
volatile __u32 sample_less;

/* Notes a sample of the event, before any filter: for the check against the event's count. */
static __always_inline struct sample_fired *note(__u32 event, __u64 period, __u64 pid_tgid)
{
	struct sample_fired *f = fired_at(event, cfg.nr_events);

	if (f)
		fire(f, period, (__u32)pid_tgid != 0);
	return f;
}

/*
 * If it is a sample of the group's leader: what its members have counted, into @since. Returns what
 * the sample stands for.
 */
static __always_inline __u64 note_members(__u32 event, __u64 period, __u64 pid_tgid, __u64 *since)
{
	__u32 left = !(__u32)pid_tgid && !target.idle ? cfg.not_in_idle : 0;

	if (!cfg.nr_members || event)
		return period;
	members_read(cfg.nr_members, left, since);
	return since[0];
}

/* The CPU's scratch record with the task in its key; NULL: counted as lost. */
static __always_inline struct scratch *begin(struct table_cpu *c, __u32 cpu, __u32 event,
					     __u64 pid_tgid, const __u64 *since)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &cpu);
	struct sample_key *key;

	table_now(c)->seen++;
	if (!s) {
		table_now(c)->lost[TABLE_LOST_MAP]++;
		return NULL;
	}
	key = (struct sample_key *)s->words;
	__builtin_memset(key, 0, sizeof(*key));
	s->found = (struct stack_found){ .source = event };
	s->is_copied = 0;
	take_task(key, pid_tgid, &cfg);
	if (cfg.nr_members && !event)
		__builtin_memcpy(s->values, since + 1, sizeof(s->values));
	return s;
}

/* Is a half of the stack (enum by) taken? If not, the sample tells. */
static __always_inline int takes(struct scratch *s, __u32 half)
{
	if (likely(!(sample_less & half)))
		return 1;
	s->found.flaws |= STACK_LEFT_OUT;
	return 0;
}

/* Counts the CPU's scratch record. A global function: verified once for all ways to it. */
__noinline int count_sample(__u32 cpu, __u64 period)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &cpu);
	struct table_cpu *c = bpf_map_lookup_elem(&cpus, &cpu);
	struct table_slot *slot;
	struct sample_key *key;
	__u32 index;

	if (unlikely(!s || !c))
		return 0;
	key = (struct sample_key *)s->words;
	key->stack = s->found;
	if (unlikely(s->is_copied) && unwind_copy_rest(cpu, period, UNWIND_COPY_TO_UNWIND)) {
		table_now(c)->seen--; /* user space counts it */
		return 0;
	}
	if (stack.verify && s->found.nr_user)
		unwind_verify(cpu, s->sp);
	slot = table_count(&s->record, SAMPLE_KEY_WORDS + s->found.nr_kernel + s->found.nr_user,
			   SAMPLE_KEY_WORDS + 2 * STACK_MAX_FRAMES, c, cpu, period, &index);
	if (slot && cfg.nr_members && !s->found.source)
		members_charge(slot, index, cfg.nr_members, s->values);
	return 0;
}

static __always_inline void take_event(struct bpf_perf_event_data *ctx, __u32 event)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid(), mm;
	/* With a value also where there are no members: 5.10 refuses a spilled one without. */
	__u64 since[SAMPLE_GROUP] = {}, period;
	struct task_struct *t;
	struct table_cpu *c;
	struct scratch *s;
	__u32 cpu;
	int user;

	clock_learn(ctx, note(event, ctx->sample_period, pid_tgid));
	period = note_members(event, ctx->sample_period, pid_tgid, since);
	if (!is_target(pid_tgid))
		return;
	c = table_enter(TABLE_INTERRUPTED, &cpu);
	if (!c)
		return;
	s = begin(c, cpu, event, pid_tgid, since);
	if (!s)
		goto out_leave;

	t = current_task();
	mm = task_mm(t);
	user = REGS_USER(&ctx->regs);
	if (stack.kernel && !user && takes(s, BY_KSTACK))
		walk_kernel(s, ctx, 0);
	/* In user mode it is no kernel thread: task_flags() would touch one more cache line. */
	if (stack.user && mm && (user || !(task_flags(t) & PF_KTHREAD)) && takes(s, BY_USTACK)) {
		((struct sample_key *)s->words)->mm = s->mm = mm;
		s->regs.ip = REGS_IP(&ctx->regs);
		s->regs.sp = REGS_SP(&ctx->regs);
		s->regs.fp = REGS_FP(&ctx->regs);
		s->regs.is_return = 0;
		s->regs.is_32bit = REGS_32(&ctx->regs);
		if (likely(user) || !entered_with(t, s))
			walk_user(cpu, 0);
	}
	count_sample(cpu, period);
out_leave:
	table_leave(TABLE_INTERRUPTED, c);
}

/*
 * Runs in NMI context for hardware events: no locks, no sleeping helpers. Not inlined: sixteen
 * programs share it.
 */
__noinline int take_sample(struct bpf_perf_event_data *ctx, __u32 event)
{
	const __u64 begin_ns = cfg.measures_cost ? bpf_ktime_get_ns() : 0;

	take_event(ctx, event);
	if (cfg.measures_cost)
		table_cost(begin_ns);
	return 0;
}

/* Takes the sample of a clock's timer that has expired, if its own program was passed over. */
static __always_inline void rescue(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid(), since[SAMPLE_GROUP] = {}, period, mm;
	const struct sample_clock *clock;
	struct sample_fired *f;
	struct task_struct *t;
	struct table_cpu *c;
	struct scratch *s;
	__u32 cpu;
	int skip;

	clock = clock_of((void *)ctx->args[0], &period);
	if (!clock)
		return;
	f = fired_at(clock->event, cfg.nr_events);
	if (!f)
		return;
	c = table_enter(TABLE_INTERRUPTED, &cpu);
	if (!c)
		return;
	s = bpf_map_lookup_elem(&scratch, &cpu);
	if (!s)
		goto out_leave;
	if (f->samples != f->told) {
		if (f->ip && !clock_entry)
			clock_skip(ctx, cpu, f->ip);
		f->told = f->samples;
		goto out_leave;
	}
	skip = clock_skip(ctx, cpu, 0);
	if (!clock_wants(clock, skip, (__u32)pid_tgid))
		goto out_leave;
	fire(f, period, (__u32)pid_tgid != 0);
	f->told = f->samples;
	period = note_members(clock->event, period, pid_tgid, since);
	if (!is_target(pid_tgid))
		goto out_leave;
	s = begin(c, cpu, clock->event, pid_tgid, since);
	if (!s)
		goto out_leave;

	t = current_task();
	mm = task_mm(t);
	if (stack.kernel && takes(s, BY_KSTACK)) {
		if (skip > 0)
			walk_kernel(s, ctx, skip);
		else
			s->found.flaws |= STACK_KERNEL_FAILED;
	}
	if (stack.user && mm && !(task_flags(t) & PF_KTHREAD) && takes(s, BY_USTACK) &&
	    !entered_with(t, s)) {
		((struct sample_key *)s->words)->mm = s->mm = mm;
		walk_user(cpu, 0);
	}
	count_sample(cpu, period);
out_leave:
	table_leave(TABLE_INTERRUPTED, c);
}

/*
 * Runs after the timer of a clock event has expired, when the event's program was run or passed
 * over: TP_PROTO(struct hrtimer *hrtimer). If it was passed over, the timer has interrupted another
 * program or an operation on a map: kernel mode in any case. Runs after all other timers, too.
 */
SEC("raw_tp/hrtimer_expire_exit")
int sample_rescue(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 begin_ns;

	if (unlikely(sample_less & SAMPLE_PAUSED))
		return 0;
	begin_ns = cfg.measures_cost ? bpf_ktime_get_ns() : 0;
	rescue(ctx);
	if (cfg.measures_cost)
		table_cost(begin_ns);
	return 0;
}

/* The stack that the tick has interrupted; of user mode s->regs have it already. */
static __always_inline void take_tick_stack(void *ctx, struct scratch *s, __u32 cpu, int user,
					    __u64 ip)
{
	struct task_struct *t = current_task();
	__u64 mm = task_mm(t);

	if (stack.kernel && !user && takes(s, BY_KSTACK))
		tick_walk_kernel(s, ctx, cpu, ip);
	if (!stack.user || !mm || (!user && task_flags(t) & PF_KTHREAD) || !takes(s, BY_USTACK))
		return;
	if (!user && entered_with(t, s))
		return;
	((struct sample_key *)s->words)->mm = s->mm = mm;
	walk_user(cpu, 0);
}

/* Takes a sample if the timer is the tick, and has one. */
static __always_inline void take_tick(struct bpf_raw_tracepoint_args *ctx)
{
	struct tick_cpu *t = tick_of(ctx->args[0]);
	__u64 pid_tgid, ip;
	const __u64 no_members[SAMPLE_GROUP] = {};
	struct entry_regs *regs;
	struct tick_rate rate;
	struct table_cpu *c;
	struct scratch *s;
	int known, user;
	__u32 cpu;

	if (!t)
		return;
	pid_tgid = bpf_get_current_pid_tgid();
	if (!tick_is_due(t, pid_tgid, &rate) || !is_target(pid_tgid))
		return;
	c = table_enter(TABLE_INTERRUPTED, &cpu);
	if (!c)
		return;
	s = bpf_map_lookup_elem(&scratch, &cpu);
	if (!s)
		goto out_leave;
	regs = &s->entered;
	known = !tick_regs(t, regs);
	if (known && !tick_wants(regs))
		goto out_leave;
	user = REGS_USER(regs);
	ip = REGS_IP(regs);
	take_user_regs(&s->regs, regs);
	s = begin(c, cpu, 0, pid_tgid, no_members);
	if (!s)
		goto out_leave;
	if (likely(known))
		take_tick_stack(ctx, s, cpu, user, ip);
	else if (stack.kernel)
		s->found.flaws |= STACK_KERNEL_FAILED;
	count_sample(cpu, rate.sample_ns);
out_leave:
	table_leave(TABLE_INTERRUPTED, c);
}

/*
 * Runs in the scheduler's tick, in place of a clock event's program. Hit by every timer:
 * TP_PROTO(struct hrtimer *hrtimer, ktime_t *now).
 */
SEC("raw_tp/hrtimer_expire_entry")
int sample_tick(struct bpf_raw_tracepoint_args *ctx)
{
	const __u64 begin_ns = cfg.measures_cost ? bpf_ktime_get_ns() : 0;

	take_tick(ctx);
	if (cfg.measures_cost)
		table_cost(begin_ns);
	return 0;
}

/* One program for each event, which tells them apart: attach cookies are newer than 5.10. */
#define EVENT_PROGRAM(n)                                                                           \
	SEC("perf_event")                                                                          \
	int sample_event_##n(struct bpf_perf_event_data *ctx)                                      \
	{                                                                                          \
		return take_sample(ctx, n);                                                        \
	}

EVENT_PROGRAM(0)
EVENT_PROGRAM(1)
EVENT_PROGRAM(2)
EVENT_PROGRAM(3)
EVENT_PROGRAM(4)
EVENT_PROGRAM(5)
EVENT_PROGRAM(6)
EVENT_PROGRAM(7)
EVENT_PROGRAM(8)
EVENT_PROGRAM(9)
EVENT_PROGRAM(10)
EVENT_PROGRAM(11)
EVENT_PROGRAM(12)
EVENT_PROGRAM(13)
EVENT_PROGRAM(14)
EVENT_PROGRAM(15)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
