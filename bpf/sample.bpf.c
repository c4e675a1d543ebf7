// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sample: perf events -> counts by task and stack.
 *
 * One sample's way: is it a target's? -> its stack into scratch (stack.bpf.h) -> hash ->
 * slot of this CPU -> count; a key never seen before is appended to the store.
 * Every sample that passes the filters ends in a slot or in a loss counter.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "sample.wire.h"
#include "stack.bpf.h"
#include "target.bpf.h"
#include "task.bpf.h"

const volatile struct sample_cfg cfg;
struct sample_control control;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader: CPUs */
	__type(key, __u32);
	__type(value, struct sample_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct sample_slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct sample_chunk);
} store SEC(".maps");

struct hash {
	__u64 lo, hi;
};

/* Four lanes, so that multiplications overlap; each step is a bijection of its lane. */
static __always_inline struct hash hash_record(struct sample_scratch *s, __u32 words)
{
	__u64 a = cfg.seed, b = ~cfg.seed, c = cfg.seed + words, d = 0x9e3779b97f4a7c15ull;
	const __u64 *w = (const __u64 *)&s->record.key;
	struct hash h;

	/* Bounded by a constant of this run: the verifier walks every round. */
	for (__u32 i = 0; i < SAMPLE_KEY_WORDS + 2 * cfg.max_stack; i += HASH_STEP) {
		if (i >= words || i > SAMPLE_KEY_WORDS + 2 * SAMPLE_MAX_STACK)
			break;
		for (__u32 k = 0; k < HASH_STEP; k += 4) {
			a = (a ^ w[i + k]) * 0x9e3779b97f4a7c15ull;
			b = (b ^ w[i + k + 1]) * 0xc2b2ae3d27d4eb4full;
			c = (c ^ w[i + k + 2]) * 0x165667b19e3779f9ull;
			d = (d ^ w[i + k + 3]) * 0x27d4eb2f165667c5ull;
			a ^= a >> 32;
			b ^= b >> 31;
			c ^= c >> 30;
			d ^= d >> 29;
		}
	}
	h.lo = (a ^ (c << 17 | c >> 47)) * 0xd6e8feb86659fd93ull;
	h.hi = (b ^ (d << 23 | d >> 41)) * 0xa0761d6478bd642full;
	h.lo ^= h.hi >> 29;
	h.lo *= 0x9e3779b97f4a7c15ull;
	h.lo ^= h.lo >> 32;
	h.hi ^= h.hi >> 31;
	return h;
}

/* Appends the scratch record to the store; returns its word, or -1 when it does not fit. */
static __always_inline long append(struct sample_scratch *s, struct sample_generation *g,
				   __u32 base, __u32 slot, __u32 words)
{
	const __u32 max_words = SAMPLE_RECORD_WORDS + 2 * cfg.max_stack;
	__u32 pos = g->words, at = pos & (SAMPLE_CHUNK_WORDS - 1), chunk, bytes;
	struct sample_chunk *c;

	if (at > SAMPLE_CHUNK_WORDS - max_words) {
		/* Might not fit: leave the rest of this chunk, marked by a record of 0 words. */
		chunk = base + pos / SAMPLE_CHUNK_WORDS;
		c = bpf_map_lookup_elem(&store, &chunk);
		if (c && at <= SAMPLE_CHUNK_WORDS - SAMPLE_RECORD_WORDS)
			c->words[at + 1] = 0;
		pos += SAMPLE_CHUNK_WORDS - at;
		at = 0;
	}
	if (pos / SAMPLE_CHUNK_WORDS >= cfg.chunks)
		return -1;
	chunk = base + pos / SAMPLE_CHUNK_WORDS;
	c = bpf_map_lookup_elem(&store, &chunk);
	if (!c)
		return -1;
	s->record.first_ns = bpf_ktime_get_ns();
	s->record.slot = slot;
	s->record.words = words;
	/*
	 * Checked right where they are used: up to 6.1 a bound is lost when the compiler keeps a
	 * copy on the stack from before the check.
	 */
	bytes = words * 8;
	barrier_var(at);
	barrier_var(bytes);
	if (at > SAMPLE_CHUNK_WORDS - max_words || bytes > max_words * 8 ||
	    bpf_probe_read_kernel(&c->words[at], bytes, &s->record))
		return -1;
	g->words = pos + words;
	g->stacks++;
	return pos;
}

static __always_inline void count(struct sample_scratch *s, struct sample_cpu *c, __u32 cpu,
				  __u64 weight)
{
	__u32 frames = s->record.key.nr_kernel + s->record.key.nr_user;
	__u32 gen = *(volatile __u32 *)&control.active & 1, region = cpu * SAMPLE_GENERATIONS + gen,
	      slot = 0, key;
	struct sample_generation *g = &c->gen[gen];
	struct sample_slot *e = NULL;
	struct hash h;
	long pos;

	if (frames > 2 * SAMPLE_MAX_STACK) { /* never: each half is at most that */
		c->lost[SAMPLE_LOST_MAP]++;
		return;
	}
	for (__u32 k = 0; k < HASH_STEP; k++)
		s->frames[frames + k] = 0;
	h = hash_record(s, SAMPLE_KEY_WORDS + frames);

	for (__u32 i = 0; i < SAMPLE_PROBES; i++) {
		slot = (h.lo + i) & ((1u << cfg.slot_bits) - 1);
		key = (region << cfg.slot_bits) + slot;
		e = bpf_map_lookup_elem(&slots, &key);
		if (!e || !e->samples)
			break;
		if (e->hash == h.lo && e->check == (__u32)h.hi) {
			e->samples++;
			e->weight += weight;
			return;
		}
	}
	if (!e || e->samples || g->stacks >= cfg.max_stacks) {
		c->lost[SAMPLE_LOST_SLOTS]++;
		return;
	}
	pos = append(s, g, region * cfg.chunks, slot, SAMPLE_RECORD_WORDS + frames);
	if (pos < 0) {
		c->lost[SAMPLE_LOST_STORE]++;
		return;
	}
	e->hash = h.lo;
	e->check = h.hi;
	e->record = pos;
	e->weight = weight;
	e->samples = 1;
}

/*
 * Runs in NMI context for hardware events: no locks, no sleeping helpers. Not inlined: sixteen
 * programs share it.
 */
__noinline int take_sample(struct bpf_perf_event_data *ctx, __u32 event)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid(), mm;
	__u32 cpu = bpf_get_smp_processor_id();
	struct sample_scratch *s;
	struct user_regs regs;
	struct task_struct *t;
	struct sample_cpu *c;
	int user;

	if (!is_target(pid_tgid))
		return 0;
	c = bpf_map_lookup_elem(&cpus, &cpu);
	if (!c)
		return 0;
	c->seen++;
	s = bpf_map_lookup_elem(&scratch, &cpu);
	if (!s) {
		c->lost[SAMPLE_LOST_MAP]++;
		return 0;
	}

	t = current_task();
	mm = task_mm(t);
	__builtin_memset(&s->record.key, 0, sizeof(s->record.key));
	s->record.key.event = event;
	s->record.key.tgid = pid_tgid >> 32;
	if (cfg.by_tid)
		s->record.key.tid = pid_tgid;
	if (cfg.by_comm)
		bpf_get_current_comm(s->record.key.comm, SAMPLE_COMM_LEN);
	if (cfg.by_cgroup)
		s->record.key.cgroup = bpf_get_current_cgroup_id();

	user = REGS_USER(&ctx->regs);
	if (cfg.kernel_stack && !user)
		walk_kernel(s, ctx);
	/* Who was interrupted in user mode is no kernel thread: one cache line less to look at. */
	if (cfg.user_stack && mm && (user || !(task_flags(t) & PF_KTHREAD))) {
		s->record.key.mm = mm;
		regs.ip = REGS_IP(&ctx->regs);
		regs.sp = REGS_SP(&ctx->regs);
		regs.fp = REGS_FP(&ctx->regs);
		if (user || !user_regs_at_entry(t, &regs))
			walk_user(s, cpu, &regs);
	}
	count(s, c, cpu, ctx->sample_period);
	return 0;
}

/* Which event fired is told by which program ran: attach cookies are newer than 5.10. */
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
