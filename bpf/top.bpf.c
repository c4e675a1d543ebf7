// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * top: counters of CPUs -> what each task has used.
 *
 * At a switch the current task is still the one that goes off the CPU: what the CPU has counted
 * since the last switch is charged to it. Tasks that run when sums are read are charged likewise,
 * by a program that the loader runs on each CPU.
 *
 * The programs measure their own CPU time (table_cpu.own_ns); unless all is to be measured not that
 * of switches between threads that are not told apart.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "sample_key.bpf.h"
#include "table.bpf.h"
#include "task.bpf.h"
#include "top.wire.h"

const volatile struct top_cfg cfg;
volatile struct top_control control;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader: CPUs */
	__type(key, __u32);
	__type(value, struct top_cpu);
} running SEC(".maps");

/* cpu * TOP_EVENTS + event */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, __u32);
} counters SEC(".maps");

/* A key with its record; HASH_STEP words of room behind it. */
struct keyed {
	struct table_record record;
	struct sample_key key;
	__u64 room[HASH_STEP];
};

/* bpf_perf_event_read() returns an error in the place of a count. */
static __always_inline int is_error(__u64 n)
{
	enum { MAX_ERRNO = 4095 };

	return n >= -(__u64)MAX_ERRNO;
}

/*
 * Events that are off are read all the same where times are wanted, so that what they had counted
 * is known when they are on again; nobody is charged for it.
 */
static __always_inline int is_off(__u32 event)
{
	return control.off >> event & 1;
}

/* Are threads told apart? */
static __always_inline int by_thread(void)
{
	return cfg.task.by & BY_TID && !(control.less & BY_TID);
}

/*
 * Reads the counters of this CPU. 0; <0: one of them cannot be read. The helper that also returns
 * enabled and running times takes 45 ns longer: it is called only when @times are wanted.
 */
static __always_inline long read_counters(struct top_cpu *c, __u32 cpu, __u64 *counted, int times)
{
	/* Unrolled: the verifier takes out what is not counted. */
#pragma unroll
	for (__u32 i = 0; i < TOP_EVENTS; i++) {
		struct bpf_perf_event_value v = {};
		__u32 at = cpu * TOP_EVENTS + i;

		if (i >= cfg.nr_events)
			break;
		if (cfg.counters[i] != TOP_COUNTER_PERF)
			continue;
		if (!times && is_off(i)) {
			counted[i] = c->counted[i];
			continue;
		}
		if (!times) {
			counted[i] = bpf_perf_event_read(&counters, at);
			if (is_error(counted[i]))
				return -1;
			continue;
		}
		if (bpf_perf_event_read_value(&counters, at, &v, sizeof(v)))
			return -1;
		counted[i] = v.counter;
		c->enabled_ns[i] = v.enabled;
		c->running_ns[i] = v.running;
	}
	return 0;
}

/* Threads have names of their own: a process has that of its first thread. */
static __always_inline void take_process_name(struct sample_key *key)
{
	struct task_struct *t = (void *)bpf_get_current_task(), *first;

	first = BPF_CORE_READ(t, group_leader);
	bpf_core_read_str(key->comm, TARGET_COMM_LEN, &first->comm);
}

/* If the current task is switched out for the last time: the moment with its flag; else 0. */
static __always_inline __u64 last_moment(__u64 now_ns)
{
	struct task_struct *t = current_task();

	if (!(task_flags(t) & PF_EXITING) || !task_is_dead(t))
		return 0;
	return now_ns << 1 | (BPF_CORE_READ(t, signal, live.counter) ? 0 : TOP_WITH_PROCESS);
}

static __always_inline void add(__u32 index, __u32 n, __u64 amount, int is_new)
{
	struct table_value *v = table_value_at(index, n);

	if (v)
		table_add(v, amount, is_new);
}

/* The current task's parent, as getppid() tells it in the first namespace. */
static __always_inline __u64 parent_id(void)
{
	struct task_struct *t = current_task();

	return BPF_CORE_READ(t, real_parent, tgid);
}

static __always_inline void add_time(__u32 index, __u64 ns, int is_new)
{
	struct table_value *v = table_value_at(index, TOP_TIME);

	if (!v)
		return;
	table_add(v, ns, is_new);
	if (is_new)
		v->max = parent_id();
}

/* @switches: the task is switched out now. */
static __always_inline void add_switches(__u32 index, __u64 amount, __u64 now_ns, int switches,
					 int is_new)
{
	struct table_value *v = table_value_at(index, TOP_SWITCHES);
	__u64 last = switches ? last_moment(now_ns) : 0;

	if (!v)
		return;
	v->sum = is_new ? amount : v->sum + amount;
	if (is_new)
		v->min = v->max = 0;
	if (last)
		v->max = last;
	else
		v->min = now_ns << 1;
}

static __always_inline void charge(const struct top_cpu *since, __u64 now_ns, const __u64 *counted,
				   int switches)
{
	struct keyed k = {};
	struct table_slot *slot;
	__u32 place, index;
	struct table_cpu *c = table_enter(TABLE_ALONE, &place);

	if (!c)
		return;
	table_now(c)->seen++;
	take_task(&k.key, bpf_get_current_pid_tgid(), &cfg.task);
	if (!by_thread()) {
		k.key.tid = 0;
		take_process_name(&k.key);
	}
	slot = table_count(&k.record, SAMPLE_KEY_WORDS, SAMPLE_KEY_WORDS, c, place, 1, &index);
	if (slot) {
		int is_new = slot->count == 1;
		__u64 time_ns = now_ns - since->since_ns, all = since->passed + switches;

		add_time(index, time_ns, is_new);
		add_switches(index, all, now_ns, switches, is_new);
#pragma unroll
		for (__u32 i = 0; i < TOP_EVENTS; i++) {
			__u32 counter = cfg.counters[i];

			if (i >= cfg.nr_events)
				break;
			add(index, TOP_VALUES + i,
			    counter == TOP_COUNTER_TIME	      ? time_ns
			    : counter == TOP_COUNTER_SWITCHES ? all
			    : is_off(i)			      ? 0
							      : counted[i] - since->counted[i],
			    is_new);
		}
	}
	table_leave(TABLE_ALONE, c);
}

/*
 * Charges the current task for its run on this CPU since the last piece, and begins a piece of
 * @next, which may be the same task. @switches: context switches to count. @times: enabled and
 * running times of events are wanted. @now_ns: when the program has begun.
 */
static __always_inline void end_piece(struct top_cpu *c, __u32 cpu, __u64 next, int switches,
				      int times, __u64 now_ns)
{
	__u64 counted[TOP_EVENTS] = {};
	int is_unknown = !!read_counters(c, cpu, counted, times);

	if (c->since_ns && (is_unknown || c->is_unknown))
		__sync_fetch_and_add(&control.lost[TOP_LOST_COUNTER], 1);
	else if (c->since_ns)
		charge(c, now_ns, counted, switches);
	c->since_ns = now_ns;
	c->task = next;
	c->passed = 0;
	c->is_unknown = is_unknown;
#pragma unroll
	for (__u32 i = 0; i < TOP_EVENTS; i++)
		if (i < cfg.nr_events)
			c->counted[i] = counted[i];
	table_cost(now_ns);
}

/* @next has the current task's key: nothing need be read, the piece of that key goes on. */
static __always_inline int is_same(struct task_struct *next)
{
	return BPF_CORE_READ(next, tgid) == bpf_get_current_pid_tgid() >> 32 &&
	       (__u64)BPF_CORE_READ(next, cgroups) == task_cgroups(current_task());
}

/* TP_PROTO(bool preempt, struct task_struct *prev, struct task_struct *next, ...) */
SEC("raw_tp/sched_switch")
int top_switch(struct bpf_raw_tracepoint_args *ctx)
{
	const __u64 now_ns = bpf_ktime_get_ns();
	__u32 cpu = bpf_get_smp_processor_id();
	struct top_cpu *c = bpf_map_lookup_elem(&running, &cpu);
	__u64 task = ctx->args[1], next = ctx->args[2];

	if (!c || !control.on)
		return 0;
	if (c->since_ns && c->task != task)
		__sync_fetch_and_add(&control.untold, 1);
	if (!by_thread() && is_same((void *)next)) {
		c->task = next;
		c->passed++;
		if (cfg.measures_all)
			table_cost(now_ns);
		return 0;
	}
	end_piece(c, cpu, next, 1, 0, now_ns);
	return 0;
}

/* Run on a CPU by the loader (BPF_F_TEST_RUN_ON_CPU, 5.10), attached to nothing. */
SEC("raw_tp")
int top_now(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct top_cpu *c = bpf_map_lookup_elem(&running, &cpu);
	__u64 task = bpf_get_current_task();

	if (!c || !control.on)
		return 0;
	if (c->since_ns && c->task != task)
		__sync_fetch_and_add(&control.untold, 1);
	end_piece(c, cpu, task, 0, 1, bpf_ktime_get_ns());
	return 0;
}

/*
 * Run on a CPU by the loader as well: top__fence(). top_switch() runs with interrupts off, so that
 * none is running there any more when this has run.
 */
SEC("raw_tp")
int top_fence(struct bpf_raw_tracepoint_args *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
