/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * table.bpf.h - counts by key in memory of this CPU: layout in table.wire.h.
 *
 * A program builds a record in scratch memory and calls table_count(): hash -> slot -> count; a
 * key never seen before is appended to the store. Programs that share a table and may interrupt
 * each other on a CPU take a place first (table_enter) and give it back (table_leave).
 */
#ifndef PMUTRACE_TABLE_BPF_H
#define PMUTRACE_TABLE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "likely.h"
#include "table.wire.h"

const volatile struct table_cfg table;

/* Generation that programs write: 0 or 1. Set by user space. */
volatile __u32 table_active;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader: places */
	__type(key, __u32);
	__type(value, struct table_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct table_slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct table_chunk);
} store SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u32);
	__type(value, struct table_value);
} values SEC(".maps");

enum { HASH_STEP = 8 }; /* words hashed at once: so much room behind the last word of a key */

struct hash {
	__u64 lo, hi;
};

/*
 * Four lanes, so that multiplications overlap; each step is a bijection of its lane. @room: most
 * words that a key can have, a constant.
 */
static __always_inline struct hash hash_key(const __u64 *w, __u32 words, __u32 room)
{
	__u64 a = table.seed, b = ~table.seed, c = table.seed + words, d = 0x9e3779b97f4a7c15ull;
	struct hash h;

	/* Bounded by a constant of this run: the verifier walks every round. */
	for (__u32 i = 0; i < table.max_words; i += HASH_STEP) {
		if (i >= words || i > room)
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

/* Appends a record to the store; 0, or -1 when it does not fit. */
static __always_inline int append(struct table_record *r, struct table_generation *g, __u32 base,
				  __u32 slot, __u32 words)
{
	const __u32 max_words = TABLE_RECORD_WORDS + table.max_words;
	__u32 pos = g->words, at = pos & (TABLE_CHUNK_WORDS - 1), chunk, bytes, mark;
	struct table_chunk *c;

	if (at > TABLE_CHUNK_WORDS - max_words) {
		/* Might not fit: leave the rest of this chunk, marked by a record of 0 words. */
		chunk = base + pos / TABLE_CHUNK_WORDS;
		c = bpf_map_lookup_elem(&store, &chunk);
		mark = at + 1;
		if (c && mark < TABLE_CHUNK_WORDS) {
			barrier_var(mark); /* or clang leaves the verifier's mask out */
			c->words[mark & (TABLE_CHUNK_WORDS - 1)] = 0;
		}
		pos += TABLE_CHUNK_WORDS - at;
		at = 0;
	}
	if (pos / TABLE_CHUNK_WORDS >= table.chunks)
		return -1;
	chunk = base + pos / TABLE_CHUNK_WORDS;
	c = bpf_map_lookup_elem(&store, &chunk);
	if (!c)
		return -1;
	r->first_ns = bpf_ktime_get_ns();
	r->slot = slot;
	r->words = words;
	/*
	 * Checked right where they are used: up to 6.1 a bound is lost when the compiler keeps a
	 * copy on the stack from before the check.
	 */
	bytes = words * 8;
	barrier_var(at);
	barrier_var(bytes);
	if (at > TABLE_CHUNK_WORDS - max_words || bytes > max_words * 8 ||
	    bpf_probe_read_kernel(&c->words[at], bytes, r))
		return -1;
	g->words = pos + words;
	g->keys++;
	return 0;
}

/* How programs that write the same table may nest on a CPU. */
enum table_how {
	TABLE_ALONE,	   /* they never interrupt each other */
	TABLE_INTERRUPTED, /* by one that ends before it goes on: interrupts */
	TABLE_PREEMPTED, /* by another task, which may go on first. Needs atomic operations: 5.12 */
};

/* The generation that is written by the program that has taken the place. */
static __always_inline struct table_generation *table_now(struct table_cpu *c)
{
	return &c->gen[c->now & (TABLE_GENERATIONS - 1)];
}

static __always_inline struct table_cpu *table_taken(struct table_cpu *c)
{
	if (c)
		c->now = table_active;
	return c;
}

/*
 * Takes a place (a lane) of this CPU to write in; NULL: all are taken, counted as lost. *place: its
 * number. Programs do not migrate, so the caller stays on this CPU.
 */
static __always_inline struct table_cpu *table_enter(enum table_how how, __u32 *place)
{
	__u32 cpu = bpf_get_smp_processor_id(), first = cpu * table.lanes;
	struct table_cpu *c;

	for (__u32 i = 0; i < TABLE_LANES && i < table.lanes; i++) {
		*place = first + i;
		c = bpf_map_lookup_elem(&cpus, place);
		if (unlikely(!c) || how == TABLE_ALONE)
			return table_taken(c);
		if (how == TABLE_PREEMPTED) {
			if (!__sync_lock_test_and_set(&c->busy, 1))
				return table_taken(c);
		} else if (likely(!c->busy)) {
			c->busy = 1;
			barrier();
			return table_taken(c);
		}
	}
	c = bpf_map_lookup_elem(&cpus, &first);
	if (c) {
		/*
		 * Not `seen`: whoever has the first lane may be about to write it, without an
		 * atomic operation.
		 */
		__sync_fetch_and_add(
			&c->gen[table_active & (TABLE_GENERATIONS - 1)].lost[TABLE_LOST_BUSY], 1);
	}
	return NULL;
}

static __always_inline void table_leave(enum table_how how, struct table_cpu *c)
{
	if (how == TABLE_ALONE)
		return;
	barrier();
	c->busy = 0;
}

/*
 * A program that measures its cost has begun at @begin_ns, and ends here: what is before that, and
 * behind, is the same in each run, and is added.
 */
static __always_inline void table_cost(__u64 begin_ns)
{
	__u32 place = bpf_get_smp_processor_id() * table.lanes;
	struct table_cpu *c = bpf_map_lookup_elem(&cpus, &place);

	if (c)
		c->own_ns += bpf_ktime_get_ns() - begin_ns + table.run_ns;
}

/*
 * Counts one occurrence of the key behind @r. @words of the key, at most @room, a constant;
 * HASH_STEP more words behind it may be written. What does not fit is counted as lost, NULL then.
 * *index: of the key, for table_value_at(); a slot with a count of 1 is a new one.
 */
static __always_inline struct table_slot *table_count(struct table_record *r, __u32 words,
						      __u32 room, struct table_cpu *c, __u32 place,
						      __u64 weight, __u32 *index)
{
	__u32 region = place * TABLE_GENERATIONS + (c->now & 1), slot = 0, key = 0;
	struct table_generation *g = table_now(c);
	struct table_slot *e = NULL;
	__u64 *w = (__u64 *)(r + 1);
	struct hash h;

	if (unlikely(words > room)) { /* never */
		g->lost[TABLE_LOST_MAP]++;
		return NULL;
	}
	for (__u32 k = 0; k < HASH_STEP; k++)
		w[words + k] = 0;
	h = hash_key(w, words, room);

	for (__u32 i = 0; i < TABLE_PROBES; i++) {
		slot = (h.lo + i) & ((1u << table.slot_bits) - 1);
		key = (region << table.slot_bits) + slot;
		e = bpf_map_lookup_elem(&slots, &key);
		if (unlikely(!e || !e->count))
			break;
		if (likely(e->hash == h.lo && e->check == (__u32)h.hi)) {
			e->count++;
			e->sum += weight;
			*index = region * table.max_keys + e->key;
			return e;
		}
	}
	if (!e || e->count || g->keys >= table.max_keys) {
		g->lost[TABLE_LOST_SLOTS]++;
		return NULL;
	}
	if (append(r, g, region * table.chunks, slot, TABLE_RECORD_WORDS + words)) {
		g->lost[TABLE_LOST_STORE]++;
		return NULL;
	}
	e->hash = h.lo;
	e->check = h.hi;
	e->key = g->keys - 1;
	e->sum = weight;
	e->count = 1;
	*index = region * table.max_keys + e->key;
	return e;
}

/* How many values of a key are measured. */
static __always_inline __u32 table_nr_measured(void)
{
	return table.nr_values - (table.exemplars ? TABLE_EXEMPLAR_VALUES : 0);
}

/* The n-th value of a key; @n: less than table.nr_values. */
static __always_inline struct table_value *table_value_at(__u32 index, __u32 n)
{
	__u32 at = index * table.nr_values + n;

	return bpf_map_lookup_elem(&values, &at);
}

/* Adds @n to a value's sum; @is_new: it is the first. Its min and max mean nothing. */
static __always_inline void table_add(struct table_value *v, __u64 n, int is_new)
{
	v->sum = is_new ? n : v->sum + n;
}

/* Adds @n to a value; @is_new: it is the first. */
static __always_inline void table_measure(struct table_value *v, __u64 n, int is_signed, int is_new)
{
	if (is_new) {
		*v = (struct table_value){ n, n, n };
		return;
	}
	v->sum += n;
	if (is_signed ? (__s64)n < v->min : n < (__u64)v->min)
		v->min = n;
	if (is_signed ? (__s64)n > v->max : n > (__u64)v->max)
		v->max = n;
}

/*
 * Keeps this hit, which @slot counts, as the exemplar of its key with a chance of one in all that
 * it counts: of a whole interval each is as likely. What began the interval is the tracer itself,
 * often: the first hit would tell of that, and of nobody else.
 */
static __always_inline void table_exemplify(const struct table_slot *slot, __u32 index, __u64 value)
{
	struct table_exemplar *first;
	void *second;

	if (slot->count > 1 && (bpf_get_prandom_u32() * slot->count) >> 32)
		return;
	first = (void *)table_value_at(index, table.nr_values - TABLE_EXEMPLAR_VALUES);
	second = table_value_at(index, table.nr_values - 1);
	if (!first || !second)
		return;
	first->time_ns = bpf_ktime_get_ns();
	first->value = value;
	first->pid_tgid = bpf_get_current_pid_tgid();
	bpf_get_current_comm(second, TABLE_COMM_BYTES);
}

#endif
