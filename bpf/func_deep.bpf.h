/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * func_deep.bpf.h - calls of decoded functions, nested to any depth, kept by stack: a thread's, or
 * a goroutine's, whatever thread runs it (FUNC_PLACE_THREAD, FUNC_PLACE_GO).
 *
 * Each call in progress is an element of a map. Those of one stack are sorted by their place on it,
 * so that a call is found by binary search, and calls further in than it have been left.
 *
 * Go moves a stack when it has to grow: what stays is the distance from its upper end, which is the
 * second word of the goroutine's struct g (src/runtime/runtime2.go: stack.lo, stack.hi). Since Go
 * 1.17 on x86_64, and always on arm64, a register has the address of that struct
 * (src/cmd/compile/abi-internal.md).
 */
#ifndef PMUTRACE_FUNC_DEEP_BPF_H
#define PMUTRACE_FUNC_DEEP_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "func.wire.h"
#include "func_count.bpf.h"
#include "func_exit.bpf.h"
#include "func_frames.bpf.h"
#include "func_task.bpf.h"
#include "task.bpf.h"

enum {
	DEEP_ROUNDS = 26,	 /* of binary search in --tasks calls, after the innermost two */
	DEEP_FORGET = 64,	 /* elements of left calls that are deleted at once */
	DEEP_FORGET_LAST = 1024, /* when a thread ends */
};

const volatile struct func_stack empty_stack;
const volatile struct func_frame empty_frame;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, struct func_stack_key);
	__type(value, struct func_stack);
} call_stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, struct func_stack_key);
	__type(value, struct func_frame);
} call_frames SEC(".maps");

/* The goroutine that runs: the address of its struct g. */
static __always_inline __u64 goroutine(bpf_user_pt_regs_t *at)
{
#if defined(__TARGET_ARCH_x86)
	return at->r14;
#else
	return at->regs[28];
#endif
}

/* The stack that a call is on, and how far in: the calls that it makes are further. <0: error. */
static __always_inline int deep_find(bpf_user_pt_regs_t *at, struct func_stack_key *key,
				     __u64 *place)
{
	__u64 id = bpf_get_current_pid_tgid(), high = 0;

	key->tgid = id >> 32;
	key->depth = 0;
	key->id = (__u32)id;
	if (cfg.place == FUNC_PLACE_GO) {
		key->id = goroutine(at);
		if (bpf_probe_read_user(&high, sizeof(high), (const void *)(key->id + 8)))
			return -1;
	}
	*place = high - call_sp(at, 0);
	return 0;
}

/*
 * How many calls of the stack are further out than a place. The loop keeps its result in memory:
 * else the verifier follows each of its rounds to the end of the program.
 */
static __always_inline __u32 deep_outside(volatile struct func_stack *s, struct func_stack_key *key,
					  __u64 place)
{
	s->low = 0;
	s->high = s->depth;
	for (__u32 i = 0; i < DEEP_ROUNDS; i++) {
		__u32 low = s->low, high = s->high, at;
		const struct func_frame *f;

		if (low >= high)
			break;
		at = i < 2 ? high - 1 : low + (high - low) / 2;
		key->depth = at;
		f = bpf_map_lookup_elem(&call_frames, key);
		if (f && f->sp < place)
			s->low = at + 1;
		else
			s->high = at;
	}
	barrier();
	return s->low;
}

/* Drops left calls down to depth @to; elements beyond @most stay, until calls are as deep again. */
static __always_inline void deep_drop(volatile struct func_stack *s, struct func_stack_key *key,
				      __u32 to, enum func_loss why, __u32 most)
{
	__u32 depth = s->depth;

	if (depth <= to)
		return;
	__sync_fetch_and_add(&control.lost[why], depth - to);
	for (__u32 i = 0; i < most; i++) {
		depth = s->depth;
		if (depth <= to)
			break;
		key->depth = --depth;
		s->depth = depth;
		bpf_map_delete_elem(&call_frames, key);
	}
	s->depth = to;
}

/* Puts the stack on a thread: from now on what the thread uses is the stack's. */
static __always_inline void deep_put_on(volatile struct func_stack *s, __u64 thread,
					const struct func_totals *now)
{
	s->thread = thread;
	s->untold -= now->untold;
	s->on_cpu_ns -= now->on_cpu_ns;
	for (__u32 i = 0; i < FUNC_EVENTS && i < cfg.nr_events; i++)
		s->events[i] -= now->events[i];
}

static __always_inline void deep_add(const volatile struct func_stack *s, struct func_totals *now)
{
	now->untold += s->untold;
	now->on_cpu_ns += s->on_cpu_ns;
	for (__u32 i = 0; i < FUNC_EVENTS && i < cfg.nr_events; i++)
		now->events[i] += s->events[i];
}

static __always_inline void deep_leave_account(struct func_account *a, __u32 cpu)
{
	if (a->depth && !--a->depth)
		func_set_inside(cpu, 0);
}

static __always_inline struct func_account *deep_account(__u64 thread)
{
	struct func_account *a = bpf_map_lookup_elem(&accounts, &thread);

	if (a)
		return a;
	if (bpf_map_update_elem(&accounts, &thread, (void *)&empty_account, BPF_NOEXIST)) {
		func_lose(FUNC_LOST_TASKS);
		return NULL;
	}
	return bpf_map_lookup_elem(&accounts, &thread);
}

/*
 * Puts the stack on this thread if it is not there, and reads what it has used. If it has calls and
 * was on another thread, or on none, its going on this one was missed. 0; <0: lost.
 */
static __always_inline long deep_begin(struct func_stack *s, __u64 stack, struct func_totals *now)
{
	__u64 thread = (__u32)bpf_get_current_pid_tgid();
	struct func_account *a = deep_account(thread);
	__u32 was_inside;
	long err;

	if (!a)
		return -1;
	was_inside = a->depth;
	err = func_begin(a, bpf_get_smp_processor_id(), now);
	if (err)
		return err;
	if (!s->depth) {
		s->untold = 0;
		s->on_cpu_ns = 0;
		for (__u32 i = 0; i < FUNC_EVENTS && i < cfg.nr_events; i++)
			s->events[i] = 0;
	}
	if (!s->depth || s->thread != thread) {
		/* Another stack may still be on this thread, and counts: its calls may be left. */
		a->depth += was_inside && s->thread != thread;
		s->untold += !!s->depth;
		deep_put_on(s, thread, now);
		if (!a->goroutine)
			a->goroutine = stack;
	}
	deep_add(s, now);
	return 0;
}

static __always_inline void deep_push(void *ctx, struct func_stack *s, struct func_stack_key *key,
				      __u64 place, __u32 func)
{
	struct func_totals now = {};
	__u32 depth = s->depth;
	struct func_frame *f;

	key->depth = depth;
	f = bpf_map_lookup_elem(&call_frames, key);
	if (!f && !bpf_map_update_elem(&call_frames, key, (void *)&empty_frame, BPF_ANY))
		f = bpf_map_lookup_elem(&call_frames, key);
	if (!f) {
		func_lose(FUNC_LOST_TASKS);
		return;
	}
	func_fetch_entry(ctx, func, f->fields);
	if (!cfg.has_account) {
		now.now_ns = bpf_ktime_get_ns();
	} else if (deep_begin(s, key->id, &now)) {
		bpf_map_delete_elem(&call_frames, key);
		return;
	}
	begin_frame(f, place, func, &now);
	barrier();
	s->depth = depth + 1;
}

SEC("kprobe")
int deep_entry(bpf_user_pt_regs_t *ctx)
{
	struct func_stack_key key = {};
	__u32 func = func_of(ctx);
	struct func_stack *s;
	__u64 place;

	if (!is_wanted(ctx, func))
		return 0;
	if (deep_find(ctx, &key, &place)) {
		func_lose(FUNC_LOST_MATCH);
		return 0;
	}
	s = bpf_map_lookup_elem(&call_stacks, &key);
	if (!s && !bpf_map_update_elem(&call_stacks, &key, (void *)&empty_stack, BPF_NOEXIST))
		s = bpf_map_lookup_elem(&call_stacks, &key);
	if (!s) {
		func_lose(FUNC_LOST_TASKS);
		return 0;
	}
	deep_drop(s, &key, deep_outside(s, &key, place), FUNC_LOST_NO_RETURN, DEEP_FORGET);
	deep_push(ctx, s, &key, place, func);
	/* A call that was lost leaves no stack behind: its thread may never come back. */
	if (!s->depth && !s->thread) {
		key.depth = 0;
		bpf_map_delete_elem(&call_stacks, &key);
	}
	return 0;
}

/* Takes the call that returns off its stack. NULL: its entry was not seen. */
static __always_inline struct func_frame *deep_pop(struct func_stack *s, struct func_stack_key *key,
						   __u64 place, __u32 func)
{
	__u32 depth = deep_outside(s, key, place);
	struct func_frame *f;

	if (depth >= s->depth)
		return NULL;
	key->depth = depth;
	f = bpf_map_lookup_elem(&call_frames, key);
	if (!f || f->sp != place || f->func != func)
		return NULL;
	deep_drop(s, key, depth + 1, FUNC_LOST_NO_RETURN, DEEP_FORGET);
	s->depth = depth;
	key->depth = depth;
	return f;
}

/* Like is_inside(), after deep_pop() has searched the stack. */
static __always_inline int deep_is_inside(const struct func_stack *s, struct func_stack_key *key,
					  __u32 func)
{
	const struct func_frame *f;

	key->depth = s->low - 1;
	f = bpf_map_lookup_elem(&call_frames, key);
	return f && f->func == func;
}

/* Whether what the call has used is known; then it is in *now. */
static __always_inline int deep_is_told(const struct func_stack *s, const struct func_account *a,
					const struct func_frame *f, struct func_totals *now)
{
	if (!cfg.has_account)
		return 1;
	if (!a || !a->depth || a->is_out || s->thread != (__u32)bpf_get_current_pid_tgid())
		return 0;
	deep_add(s, now);
	return f->untold == now->untold;
}

/* The frame of the measured call that made this one; NULL: it is the outermost. */
static __always_inline struct func_frame *deep_caller(struct func_stack_key *key)
{
	struct func_frame *caller;

	key->depth--;
	caller = bpf_map_lookup_elem(&call_frames, key);
	key->depth++;
	return caller;
}

/* The last call of the stack has ended. */
static __always_inline void deep_close(const struct func_stack *s, struct func_stack_key *key,
				       struct func_account *a)
{
	if (a && s->thread == (__u32)bpf_get_current_pid_tgid()) {
		if (a->goroutine == key->id)
			a->goroutine = 0;
		deep_leave_account(a, bpf_get_smp_processor_id());
	}
	bpf_map_delete_elem(&call_stacks, key);
}

/* What the thread has used by now; *account: NULL if none is kept. 0; <0: it cannot be read. */
static __always_inline long deep_read(struct func_account **account, struct func_totals *now)
{
	__u64 thread = (__u32)bpf_get_current_pid_tgid();
	__u32 cpu = bpf_get_smp_processor_id();
	struct func_account *a = NULL;
	long err;

	if (cfg.has_account)
		a = bpf_map_lookup_elem(&accounts, &thread);
	*account = a;
	if (!a || !a->depth) {
		now->now_ns = bpf_ktime_get_ns();
		return 0;
	}
	func_settle(a, cpu);
	err = func_read(a, cpu, now);
	now->untold = a->untold;
	return err;
}

static __always_inline void deep_leave(bpf_user_pt_regs_t *ctx, enum kind kind)
{
	struct func_stack_key key = {};
	struct func_totals now = {};
	struct func_frame *f = NULL;
	struct func_account *a;
	struct func_stack *s;
	__u64 place;
	int is_told;
	long err;

	if (!exit_is_taken(ctx) || deep_find(ctx, &key, &place))
		return;
	err = deep_read(&a, &now);
	s = bpf_map_lookup_elem(&call_stacks, &key);
	if (s)
		f = deep_pop(s, &key, place, func_of(ctx));
	if (!f) {
		if (!s || !exit_is_jump(ctx) || !deep_is_inside(s, &key, func_of(ctx)))
			tell_unmatched(ctx);
		return;
	}
	is_told = deep_is_told(s, a, f, &now);
	end_frame(ctx, kind, f, deep_caller(&key), &now, err, is_told);
	bpf_map_delete_elem(&call_frames, &key);
	if (!key.depth)
		deep_close(s, &key, a);
}

SEC("kprobe")
int deep_return(bpf_user_pt_regs_t *ctx)
{
	deep_leave(ctx, KIND_KERNEL);
	return 0;
}

SEC("kprobe")
int deep_return_usr(bpf_user_pt_regs_t *ctx)
{
	deep_leave(ctx, KIND_USER);
	return 0;
}

/* Drops the calls of a thread, or of its goroutine, that ends or execs. */
static __always_inline void deep_abandon(__u64 id, enum func_loss why)
{
	struct func_stack_key key = { .id = (__u32)id, .tgid = id >> 32 };
	__u64 thread = (__u32)id;
	struct func_account *a = bpf_map_lookup_elem(&accounts, &thread);
	struct func_stack *s;

	if (cfg.place == FUNC_PLACE_GO)
		key.id = a ? a->goroutine : 0;
	s = bpf_map_lookup_elem(&call_stacks, &key);
	if (s && s->thread == thread) {
		deep_drop(s, &key, 0, why, DEEP_FORGET_LAST);
		key.depth = 0;
		bpf_map_delete_elem(&call_stacks, &key);
	}
	bpf_map_delete_elem(&accounts, &thread);
}

#endif
