/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unwind.bpf.h - from a frame to its caller, by the rules of unwind.wire.h or by frame pointer.
 *
 * Hybrid, frame by frame: a rule is followed where there is one; where there is none
 * (code made at run time, Go, hand-written assembly) the frame pointer, and above that frame rules
 * again.
 *
 * What searches is in global functions, which the verifier looks at once, not once for each frame;
 * they take and return numbers only. Included by stack.bpf.h, whose scratch record has the state.
 */
#ifndef PMUTRACE_UNWIND_BPF_H
#define PMUTRACE_UNWIND_BPF_H

#include "likely.h"
#include "task.bpf.h"
#include "unwind.wire.h"

/* All are sized and filled by the loader, which sees their memory (mmap(2)). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_chunk);
} unwind_rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} unwind_pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_rule);
} unwind_rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_mapping);
} unwind_mappings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, UNWIND_ASKED);
	__type(key, __u32);
	__type(value, __u64);
} unwind_asked SEC(".maps");

/*
 * By process. An array, which is searched here: finding the element of a hash takes a call of the
 * kernel, and a fifth of all that a sample costs besides its frames. Programs change `mm` alone.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_bucket);
} unwind_procs SEC(".maps");

static __always_inline void unwind_ask(__u32 tgid)
{
	__u32 at = (tgid ^ tgid >> 8) & (UNWIND_ASKED - 1);
	__u64 *a = bpf_map_lookup_elem(&unwind_asked, &at);

	if (a)
		*a = tgid;
}

/* The number of a process's state, counted over all of @nr_buckets; -1: it has none. */
__noinline int unwind_find_proc(__u32 tgid, __u32 nr_buckets)
{
	__u32 at = UNWIND_BUCKET_OF(tgid, nr_buckets);
	const struct unwind_bucket *b = bpf_map_lookup_elem(&unwind_procs, &at);

	if (!b)
		return -1;
	for (__u32 i = 0; i < UNWIND_BUCKET_PROCS; i++) {
		const __u32 key = b->keys[i];

		if (UNWIND_KEY_PID(key) == tgid)
			return at * UNWIND_BUCKET_STATES + 2 * i + UNWIND_KEY_STATE(key);
	}
	return -1;
}

static __always_inline struct unwind_proc *unwind_proc_of(__u32 tgid, __u32 nr_buckets)
{
	__u32 found = unwind_find_proc(tgid, nr_buckets), at = found / UNWIND_BUCKET_STATES;
	struct unwind_bucket *b = bpf_map_lookup_elem(&unwind_procs, &at);

	return b ? &b->states[found & (UNWIND_BUCKET_STATES - 1)] : NULL;
}

/* The last of @nr mappings from @first on that begins at or below @pc; -1: none does. */
__noinline int unwind_find_mapping(__u32 first, __u32 nr, __u64 pc)
{
	__u32 low = first, high = first + nr;

	for (int i = 0; i < 17; i++) {
		const struct unwind_mapping *m;
		__u32 middle;

		if (low >= high)
			break;
		middle = low + ((high - low) >> 1);
		m = bpf_map_lookup_elem(&unwind_mappings, &middle);
		if (!m)
			return -1;
		if (m->start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low == first ? -1 : (int)(low - 1);
}

/*
 * A register with which the task entered the kernel: the same as those of a sample in user mode,
 * since that interrupts on the task's own kernel stack.
 */
static __always_inline int unwind_register(const struct unwind_frame *u, __u32 word, __u64 *out)
{
	const void *at = user_regs_of(current_task());

	return bpf_probe_read_kernel(out, sizeof(*out), at + 8 * (word & 63));
}

/*
 * What is read of the stack, frame by frame, lies close together. A block is copied at once, since
 * each copy has a price of its own; no large one, since of large frames two words are wanted. It
 * begins below the word that is asked for: registers are saved below return addresses.
 */
enum {
	UNWIND_BLOCK_BYTES = 512,
	UNWIND_BLOCK_BELOW = 64,
	UNWIND_BLOCK_WORDS = UNWIND_BLOCK_BYTES / 8,
};

/* The frame first: who has it has all. */
struct unwind_state {
	struct unwind_frame frame;
	__u64 at; /* address of the block */
	__u32 bytes;
	__u32 place;  /* number of the scratch record that this is in */
	__u64 word;   /* that was read last */
	__u64 wanted; /* address of a word that is to be read next; 0: none. For unwind_fast() */
	__u64 words[UNWIND_BLOCK_WORDS];
};

/*
 * Reads a word into the state of a place, and a new block if words are aligned. 0; -1: it cannot be
 * read. In stack.bpf.h.
 */
int unwind_read_word(__u32 place, __u64 at);

static __always_inline int unwind_word(const struct unwind_frame *u, __u64 *out, __u64 at)
{
	struct unwind_state *s = (struct unwind_state *)u;

	if (likely(at - s->at < s->bytes && !(at & 7))) {
		*out = s->words[(at - s->at) >> 3 & (UNWIND_BLOCK_WORDS - 1)];
		return 0;
	}
	if (unwind_read_word(s->place, at))
		return -1;
	*out = s->word;
	return 0;
}

#define UNWIND_WORD			unwind_word
#define UNWIND_READ(frame, to, len, at) bpf_probe_read_user(to, len, (const void *)(at))
#define UNWIND_REGISTER			unwind_register

#include "unwind_step.h"

/* The rule at @offset in a page with @nr rows from @first on; 0: none. */
__noinline int unwind_find_rule(__u32 first, __u32 nr, __u32 offset)
{
	__u32 chunk = first / UNWIND_CHUNK_ROWS;
	const struct unwind_chunk *c = bpf_map_lookup_elem(&unwind_rows, &chunk), *next = NULL;

	chunk++;
	if (nr > unwind_rows_left(first))
		next = bpf_map_lookup_elem(&unwind_rows, &chunk);
	return c ? unwind_search_chunks(c, next, first, nr, offset) : 0;
}

/*
 * A process's mappings and their life. 0: it has none; they are of another address space, of the
 * program that it was before; or the state is being written for the next time, and rules of other
 * mappings must not be kept for these.
 */
static __always_inline int unwind_mappings_of(struct unwind_proc *p, __u32 tgid, __u64 mm,
					      __u64 *life, __u32 *first, __u32 *nr)
{
	*life = p->life;
	*first = p->first;
	*nr = p->nr;
	/* Read once. */
	barrier_var(*life);
	barrier_var(*first);
	barrier_var(*nr);
	if (!*nr || p->check != UNWIND_PROC_CHECK(tgid, *life, *first, *nr))
		return 0;
	if (unlikely(!p->mm))
		p->mm = mm;
	return p->mm == mm;
}

/* Of a set, the one that may be of the address. Without a branch: see unwind_either(). */
static __always_inline struct unwind_recent *unwind_recent_of(struct unwind_recent_set *set,
							      __u64 pc)
{
	__u64 other = set->ways[0].pc ^ pc;

	other = (other | -other) >> 63;
	barrier_var(other);
	return &set->ways[other & 1];
}

/* The rule at an address of the frame's code, searched for; NULL: there is none, see *flaw. */
static __always_inline const struct unwind_rule *unwind_found(struct unwind_frame *u, __u64 pc,
							      int *flaw)
{
	const struct unwind_mapping *m = bpf_map_lookup_elem(&unwind_mappings, &u->mapping);
	const __u64 *p;
	__u64 at;
	int found;

	if (!m || pc < m->start || pc >= m->end) {
		found = unwind_find_mapping(u->first, u->nr, pc);
		u->mapping = found;
		m = found < 0 ? NULL : bpf_map_lookup_elem(&unwind_mappings, &u->mapping);
		if (!m || pc >= m->end) {
			*flaw = u->by_fp ? STACK_USER_NO_RULE : STACK_USER_UNKNOWN;
			return NULL;
		}
	}
	*flaw = unwind_flaw_of(m);
	at = pc - m->bias;
	if (at >> UNWIND_PAGE_SHIFT >= m->nr_pages)
		return NULL;
	u->key = m->first_page + (__u32)(at >> UNWIND_PAGE_SHIFT);
	p = bpf_map_lookup_elem(&unwind_pages, &u->key);
	if (!p)
		return NULL;
	u->key = unwind_find_rule(UNWIND_PAGE_FIRST(*p), UNWIND_PAGE_NR(*p),
				  at & (UNWIND_PAGE_BYTES - 1));
	return u->key ? bpf_map_lookup_elem(&unwind_rules, &u->key) : NULL;
}

/* The rule at the frame's pc; NULL: there is none, and *flaw says why. */
static __always_inline const struct unwind_rule *
unwind_rule_of(struct unwind_frame *u, struct unwind_recent_set *recent, int *flaw)
{
	const __u64 pc = u->pc - u->is_return;
	struct unwind_recent_set *set = &recent[UNWIND_RECENT_OF(pc)];
	struct unwind_recent *r = unwind_recent_of(set, pc);
	const struct unwind_rule *rule;

	if (unlikely(r->pc != pc || r->life != (__u32)u->life)) {
		rule = unwind_found(u, pc, flaw);
		if (!rule)
			return NULL;
		/* The one that came last stays: none of the two is of the address, or the first. */
		if (r->pc != pc)
			set->ways[0] = set->ways[1];
		r->pc = pc;
		r->rule = *rule;
		r->life = u->life;
	}
	return &r->rule;
}

#endif
