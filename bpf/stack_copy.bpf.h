/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stack_copy.bpf.h - copies of registers and stacks for user space (unwind.wire.h): of processes
 * whose mappings are not there yet, and of those to be verified.
 *
 * A program that wants them defines STACK_SAMPLES before it includes this: for others the functions
 * would be verified in vain, and the maps be there for nothing.
 */
#ifndef PMUTRACE_STACK_COPY_BPF_H
#define PMUTRACE_STACK_COPY_BPF_H

#include "scratch.bpf.h"

#ifdef STACK_SAMPLES

/* Sized by the loader, which sees their memory, as those of unwind.bpf.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_copy);
} unwind_copies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct unwind_copied_page);
} unwind_stacks SEC(".maps");

/* By place: pages that user space has taken. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} unwind_taken SEC(".maps");

enum {
	COPY_BLOCK = 16,    /* pages that are copied in one call */
	UNTOUCHED_MAX = 32, /* pages that cannot be read: each costs the program a page fault */
};

/* The one that is written next, or is under way, at @place. */
static __always_inline struct unwind_copy *copy_at(const struct scratch *s, __u32 place)
{
	__u32 index;

	if (!stack.copies)
		return NULL;
	index = place * stack.copies + s->copying.next_copy % stack.copies;
	return bpf_map_lookup_elem(&unwind_copies, &index);
}

/* One page more for the copy that is under way. 0: it ends there, or the ring is full. */
__noinline int unwind_copy_page(__u32 place)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);
	const __u64 *taken = bpf_map_lookup_elem(&unwind_taken, &place);
	struct unwind_copied_page *page;
	__u32 nr, index, len;

	if (!s || !taken || !stack.copy_pages)
		return 0;
	nr = s->copying.next_page + s->copying.nr_pages;
	index = place * stack.copy_pages + (nr & (stack.copy_pages - 1));
	page = bpf_map_lookup_elem(&unwind_stacks, &index);
	if (!page || s->copying.at >= s->copying.end || nr - (__u32)*taken >= stack.copy_pages)
		return 0;
	len = PAGE_BYTES - (s->copying.at & (PAGE_BYTES - 1));
	barrier_var(len);
	if (!len || len > PAGE_BYTES)
		return 0;
	page->from = s->copying.at;
	s->copying.at += len;
	if (!bpf_probe_read_user(page->bytes, len, (void *)page->from))
		s->copying.nr_pages++;
	else if (!s->copying.is_bound && s->copying.nr_pages)
		return 0;
	else if (++s->copying.nr_untouched > UNTOUCHED_MAX)
		return 0;
	return 1;
}

/* COPY_BLOCK pages. A loop in a loop: the verifier follows each of them once, not their product. */
__noinline int unwind_copy_block(__u32 place)
{
	for (int i = 0; i < COPY_BLOCK; i++)
		if (!unwind_copy_page(place))
			return 0;
	return 1;
}

/*
 * Copies @max pages of the stack for user space: page by page, for some of them may not be there. A
 * global function, as it would be verified for both ways to a sample otherwise.
 */
__noinline int unwind_copy_stack(__u32 place, __u64 sp, __u32 max)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);
	__u64 from = (sp - UNWIND_COPY_BELOW) & ~7ull, end, most;
	struct unwind_copy *c = s ? copy_at(s, place) : NULL;

	if (!c || c->state != UNWIND_COPY_FREE)
		return 0;
	end = task_stack_end(current_task(), sp, STACK_BYTES);
	if (!end && max > UNWIND_UNBOUND_PAGES)
		max = UNWIND_UNBOUND_PAGES;
	most = from + max * PAGE_BYTES;
	s->copying.at = from;
	s->copying.end = end && end < most ? end : most;
	s->copying.is_bound = end != 0;
	s->copying.nr_pages = s->copying.nr_untouched = 0;
	for (int i = 0; i <= UNWIND_COPY_PAGES / COPY_BLOCK; i++)
		if (!unwind_copy_block(place))
			break;
	if (bpf_probe_read_kernel(c->regs, UNWIND_REGS * 8, user_regs_of(current_task())))
		return 0;
	c->from = from;
	c->first_page = s->copying.next_page;
	c->nr_pages = s->copying.nr_pages;
	return 1;
}

/* Leaves the rest of it to user space, @state: and the sample with it, or not. */
__noinline int unwind_copy_rest(__u32 place, __u64 period, __u32 state)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);
	struct unwind_copy *c = s ? copy_at(s, place) : NULL;

	if (!c)
		return 0;
	c->nr_words = stack.first + s->found.nr_kernel + s->found.nr_user;
	if (c->nr_words > UNWIND_COPY_WORDS)
		return 0;
	if (bpf_probe_read_kernel(c->words, sizeof(c->words), s->words))
		return 0;
	c->first_ns = bpf_ktime_get_ns();
	c->period = period;
	__builtin_memcpy(c->values, s->values, sizeof(c->values));
	c->cpu = bpf_get_smp_processor_id();
	s->copying.next_copy++;
	s->copying.next_page += s->copying.nr_pages;
	__sync_fetch_and_add(&c->state, state);
	return 1;
}

/*
 * The stack that rules have been followed on goes to user space with the frames that were found.
 * What there is no room for is counted in the copy that is in the way.
 */
__noinline int unwind_verify(__u32 place, __u64 sp)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);
	struct unwind_copy *c;

	if (!s || !stack.verify)
		return 0;
	c = copy_at(s, place);
	if (!(s->found.flaws & STACK_USER_UNKNOWN) && !s->regs.is_32bit &&
	    unwind_copy_stack(place, sp, UNWIND_VERIFIED_PAGES) &&
	    unwind_copy_rest(place, 0, UNWIND_COPY_TO_VERIFY))
		return 1;
	if (c)
		c->nr_missed++;
	return 0;
}

#else

static __always_inline int unwind_copy_stack(__u32 place, __u64 sp, __u32 max)
{
	return 0;
}

#endif

#endif
