/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * func_task.bpf.h - what the tasks inside of functions have used so far, of time and of events.
 *
 * Events are counted by CPU. At a context switch func_switch() adds what the CPU has counted to the
 * account (struct func_account) of the task that is switched out, and notes the counters for the
 * one that is switched in. What a running task has used is its account and what the CPU has counted
 * since.
 */
#ifndef PMUTRACE_FUNC_TASK_BPF_H
#define PMUTRACE_FUNC_TASK_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "func.wire.h"
#include "task.bpf.h"

const volatile struct func_cfg cfg;
volatile struct func_control control;
const volatile struct func_task empty_task;
const volatile struct func_account empty_account;

/* By thread id. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u64);
	__type(value, struct func_task);
} tasks SEC(".maps");

/* Likewise, where calls are on stacks (func_deep.bpf.h). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u64);
	__type(value, struct func_account);
} accounts SEC(".maps");

/*
 * By CPU: tid << 1 | inside, of the task that runs there as far as sched_switch has told; inside:
 * it may be inside of a function.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader: CPUs */
	__type(key, __u32);
	__type(value, __u32);
} inside SEC(".maps");

/* cpu * FUNC_EVENTS + event */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, __u32);
} counters SEC(".maps");

/* What a task has used since its account was opened. */
struct func_totals {
	__u64 now_ns;
	__u64 on_cpu_ns;
	__u32 untold; /* missed switches, read before the rest */
	__u64 events[FUNC_EVENTS];
};

static __always_inline void func_lose(enum func_loss why)
{
	__sync_fetch_and_add(&control.lost[why], 1);
}

static __always_inline __u32 func_of(void *ctx)
{
	return cfg.has_cookie ? bpf_get_attach_cookie(ctx) & FUNC_COOKIE_NUMBER : cfg.source;
}

/* Calls are on stacks of any depth, not in frames of their task. */
static __always_inline int is_deep(void)
{
	return cfg.place == FUNC_PLACE_THREAD || cfg.place == FUNC_PLACE_GO;
}

/* Of a thread that has been inside of a function; or NULL. */
static __always_inline struct func_account *find_account(__u64 id)
{
	struct func_task *t;

	if (is_deep())
		return bpf_map_lookup_elem(&accounts, &id);
	t = bpf_map_lookup_elem(&tasks, &id);
	return t ? &t->account : NULL;
}

static __always_inline int func_is_perf(__u32 event)
{
	return cfg.counters[event] == FUNC_COUNTER_PERF;
}

/* A perf event of this CPU. 0; <0: it is on no counter. */
static __always_inline long func_counter(__u32 cpu, __u32 event, __u64 *n)
{
	struct bpf_perf_event_value v = {};
	long err = bpf_perf_event_read_value(&counters, cpu * FUNC_EVENTS + event, &v, sizeof(v));

	*n = v.counter;
	return err;
}

static __always_inline void func_set_inside(__u32 cpu, __u32 value)
{
	__u32 *on = bpf_map_lookup_elem(&inside, &cpu);

	if (on)
		*on = (__u32)bpf_get_current_pid_tgid() << 1 | value;
}

/*
 * Opens the account of a task at its first call: nothing used yet, at *now_ns. If the sequence has
 * changed there was a context switch meanwhile: then once more. 0; <0: a counter cannot be read.
 */
static __always_inline long func_open(volatile struct func_account *t, __u32 cpu, __u64 *now_ns)
{
	for (int tries = 0; tries < 3; tries++) {
		__u32 sequence = t->sequence;

		*now_ns = bpf_ktime_get_ns();
		t->cpu = cpu;
		t->is_out = 0;
		t->on_cpu_ns = 0;
		t->on_since_ns = *now_ns;
		for (__u32 i = 0; i < FUNC_EVENTS && i < cfg.nr_events; i++) {
			__u64 n = 0;

			if (func_is_perf(i) && func_counter(cpu, i, &n))
				return -1;
			t->since[i] = n;
			t->events[i] = 0;
		}
		if (sequence == t->sequence)
			return 0;
	}
	return -1;
}

/* The task is switched out of this CPU. */
static __always_inline void func_out(volatile struct func_account *t, __u32 cpu)
{
	t->on_cpu_ns += bpf_ktime_get_ns() - t->on_since_ns;
	for (__u32 i = 0; i < FUNC_EVENTS && i < cfg.nr_events; i++) {
		__u64 n;

		if (func_is_perf(i) && !func_counter(cpu, i, &n))
			t->events[i] += n - t->since[i];
		else if (cfg.counters[i] == FUNC_COUNTER_SWITCHES)
			t->events[i]++;
	}
	t->is_out = 1;
	t->sequence++;
}

static __always_inline void func_in(volatile struct func_account *t, __u32 cpu)
{
	for (__u32 i = 0; i < FUNC_EVENTS && i < cfg.nr_events; i++) {
		__u64 n;

		if (func_is_perf(i) && !func_counter(cpu, i, &n))
			t->since[i] = n;
		else if (cfg.counters[i] == FUNC_COUNTER_MIGRATIONS && t->cpu != cpu)
			t->events[i]++;
	}
	t->untold += !t->is_out;
	t->is_out = 0;
	t->cpu = cpu;
	t->on_since_ns = bpf_ktime_get_ns();
	t->sequence++;
}

/*
 * For the running task, if its account still says that it is switched out: sched_switch was missed.
 * Not all kernels report each switch: on a virtual machine (6.18) those from some tasks were
 * missing, for raw tracepoints and perf events. What the task has used is unknown then, and calls
 * that it was in are lost.
 */
static __always_inline void func_settle(volatile struct func_account *t, __u32 cpu)
{
	if (!t->is_out)
		return;
	t->untold++;
	func_in(t, cpu);
	func_set_inside(cpu, 1);
}

/* Reads what the running task has used. 0; <0: a counter cannot be read. */
static __always_inline long func_read(volatile struct func_account *t, __u32 cpu,
				      struct func_totals *o)
{
	for (int tries = 0; tries < 3; tries++) {
		__u32 sequence = t->sequence;

		o->now_ns = bpf_ktime_get_ns();
		o->on_cpu_ns = t->on_cpu_ns + (o->now_ns - t->on_since_ns);
		for (__u32 i = 0; i < FUNC_EVENTS && i < cfg.nr_events; i++) {
			__u64 n = 0;

			if (func_is_perf(i) && func_counter(cpu, i, &n))
				return -1;
			o->events[i] = t->events[i] + (n - t->since[i]);
			if (cfg.counters[i] == FUNC_COUNTER_TIME)
				o->events[i] = o->on_cpu_ns;
		}
		if (sequence == t->sequence)
			return 0;
	}
	return -1;
}

/*
 * Opens the task's account with its first call, else reads it. func_switch() keeps the account of
 * tasks whose depth is not 0: it is set to 1 before the call's frame is there, and must never be 0
 * in between. 0; <0: lost.
 */
static __always_inline long func_begin(struct func_account *t, __u32 cpu, struct func_totals *now)
{
	long err;

	if (t->depth) {
		func_settle(t, cpu);
		now->untold = t->untold;
		err = func_read(t, cpu, now);
	} else {
		now->untold = t->untold;
		t->depth = 1;
		barrier();
		func_set_inside(cpu, 1);
		err = func_open(t, cpu, &now->now_ns);
		if (err)
			t->depth = 0;
	}
	if (err)
		func_lose(FUNC_LOST_COUNTER);
	return err;
}

/* TP_PROTO(bool preempt, struct task_struct *prev, struct task_struct *next, ...) */
SEC("raw_tp/sched_switch")
int func_switch(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *prev = (void *)ctx->args[1], *next = (void *)ctx->args[2];
	__u32 cpu = bpf_get_smp_processor_id(), *on = bpf_map_lookup_elem(&inside, &cpu);
	struct func_account *t;
	__u64 id;

	if (!on)
		return 0;
	id = BPF_CORE_READ(prev, pid);
	if (*on & 1 || *on >> 1 != id) {
		t = find_account(id);
		if (t && t->depth) {
			t->untold += *on >> 1 != id;
			func_out(t, cpu);
		}
	}
	id = BPF_CORE_READ(next, pid);
	t = id ? find_account(id) : NULL;
	*on = id << 1 | (t && t->depth);
	if (t && t->depth)
		func_in(t, cpu);
	return 0;
}

#endif
