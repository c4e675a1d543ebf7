/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unwind_fast.bpf.h - takes frames whose rules are at hand, of the kinds that nearly all are of.
 *
 * What unwind_by_rule() (unwind_step.h) does for any rule is some kilobytes of code, and looks at
 * one frame in memory. An interrupt finds none of that in near caches. Here a frame is in registers
 * until its callers are found, by some hundred bytes of code. Whatever is not as usual is left to
 * unwind_frame(), which knows all of it. Included by stack.bpf.h.
 */
#ifndef PMUTRACE_UNWIND_FAST_BPF_H
#define PMUTRACE_UNWIND_FAST_BPF_H

#include "scratch.bpf.h"

enum {
	UNWIND_SLOW = -2,   /* the next frame is unwind_frame()'s */
	UNWIND_FAST_AT = 4, /* frames that one call takes: a bound for the verifier */
};

static __always_inline struct unwind_usual unwind_in_registers(const struct unwind_state *u)
{
	return (struct unwind_usual){
		.pc = u->frame.pc,
		.sp = u->frame.sp,
		.fp = u->frame.fp,
		.words = u->words,
		.at = u->at,
		.bytes = u->bytes,
		.mask = UNWIND_BLOCK_WORDS - 1,
	};
}

/*
 * Takes the frame s->unwind and its callers: UNWIND_MORE if at least one was, UNWIND_END, or
 * UNWIND_SLOW: none was. A global function: verified once.
 */
__noinline int unwind_fast(__u32 place)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);
	__u32 at, nr, had, is_return;
	struct unwind_state *u;
	struct unwind_usual f;
	__u64 innermost_sp = 0;
	int more = UNWIND_MORE;

	if (!s)
		return UNWIND_END;
	u = &s->unwind;
	if (u->wanted && unwind_read_word(place, u->wanted))
		u->bytes = 0;
	u->wanted = 0;
	had = nr = s->found.nr_user;
	at = stack.first + s->found.nr_kernel;
	is_return = u->frame.is_return;
	f = unwind_in_registers(u);

	for (int i = 0; i < UNWIND_FAST_AT && nr < stack.max_frames; i++) {
		const __u64 pc = f.pc & stack.code_mask, sp = f.sp;
		const struct unwind_recent *r = unwind_recent_of(
			&s->recent[UNWIND_RECENT_OF(pc - is_return)], pc - is_return);

		f.pc = pc;
		if (r->pc != pc - is_return || r->life != (__u32)u->frame.life ||
		    !unwind_usual(&f, &r->rule))
			break;
		s->words[(at + nr) & (STACK_ROOM_WORDS - 1)] =
			pc + (-nr >> 31 & ~is_return & 1); /* as unwind_name_of() */
		nr++;
		innermost_sp = unwind_either(is_return, 0, sp);
		is_return = 1;
		if (unlikely(!f.pc)) {
			more = UNWIND_END;
			break;
		}
	}
	if (nr == had)
		return UNWIND_SLOW;
	s->found.nr_user = nr;
	u->wanted = f.wanted;
	u->frame.pc = f.pc;
	u->frame.sp = f.sp;
	u->frame.fp = f.fp;
	u->frame.is_return = is_return;
	u->frame.innermost_sp = innermost_sp;
	u->frame.by_fp = u->frame.has_lr = 0;
	return more;
}

#endif
