/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unwind_step.h - from a frame to its caller: what a rule of unwind.wire.h means, once for programs
 * (unwind.bpf.h) and for user space (src/unwind/walk.c), which does the same with copies of stacks.
 *
 * Whoever includes it says first how memory of the unwound task is read, and its registers:
 *	UNWIND_WORD(frame, out, at)		0, or it cannot be read
 *	UNWIND_READ(frame, to, len, at)		likewise
 *	UNWIND_REGISTER(frame, word, out)	of the innermost frame: likewise
 */
#ifndef PMUTRACE_UNWIND_STEP_H
#define PMUTRACE_UNWIND_STEP_H

#include "likely.h"
#include "stack.wire.h"
#include "unwind.wire.h"

#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
#define UNWIND_X86 1
#else
#define UNWIND_X86 0
#endif

#define UNWIND_INLINE static inline __attribute__((always_inline))

/*
 * The address by which a frame is named. All but the innermost one are taken for return addresses,
 * and named by the byte before; what a signal has interrupted is not one.
 */
UNWIND_INLINE __u64 unwind_name_of(const struct unwind_frame *u, __u32 nr_before)
{
	return u->pc + (nr_before && !u->is_return);
}

/*
 * What it is about code of a mapping that has no rule. With STACK_USER_UNKNOWN it may have one: its
 * frame pointer is a guess, which may leave out callers.
 */
UNWIND_INLINE int unwind_flaw_of(const struct unwind_mapping *m)
{
	if (m->first_page == UNWIND_NOT_YET)
		return STACK_USER_UNKNOWN;
	return STACK_USER_NO_RULE | (m->first_page == UNWIND_NEVER ? STACK_USER_UNKNOWN : 0);
}

/*
 * The rule at @offset in a page that has @nr rows from @first on; 0: none. Halves are as long
 * however a comparison ends, so that nothing but the comparison is waited for. @mask: of places in
 * @rows, for the verifier.
 */
UNWIND_INLINE __u32 unwind_search(const __u32 *rows, __u32 mask, __u32 first, __u32 nr,
				  __u32 offset)
{
	__u32 row;

	if (!nr)
		return 0;
	for (int i = 0; i < UNWIND_PAGE_SHIFT && nr > 1; i++) {
		const __u32 half = nr >> 1;

		row = rows[(first + half) & mask];
		if (UNWIND_ROW_OFFSET(row) <= offset)
			first += half;
		nr -= half;
	}
	row = rows[first & mask];
	return UNWIND_ROW_OFFSET(row) <= offset ? UNWIND_ROW_RULE(row) : 0;
}

/* How many of the rows from @first on are in the first one's chunk. */
UNWIND_INLINE __u32 unwind_rows_left(__u32 first)
{
	return UNWIND_CHUNK_ROWS - (first & (UNWIND_CHUNK_ROWS - 1));
}

/* The same in chunks: @next is the one behind @chunk, if rows of the page are there, too. */
UNWIND_INLINE __u32 unwind_search_chunks(const struct unwind_chunk *chunk,
					 const struct unwind_chunk *next, __u32 first, __u32 nr,
					 __u32 offset)
{
	const __u32 here = unwind_rows_left(first);

	if (next && UNWIND_ROW_OFFSET(next->rows[0]) <= offset) {
		chunk = next;
		first = 0;
		nr -= here;
	} else if (next) {
		nr = here;
	}
	return unwind_search(chunk->rows, UNWIND_CHUNK_ROWS - 1, first, nr, offset);
}

/* What is added to unwind_name_of() of a frame with this rule. */
UNWIND_INLINE __u64 unwind_name_more(const struct unwind_rule *r)
{
	return r->cfa == UNWIND_CFA_STOP && r->reg == UNWIND_NAMED_BY_NEXT;
}

/* Memory that cannot be read: of the stack, or where a rule has led astray. */
UNWIND_INLINE int unwind_unreadable(const struct unwind_frame *u, __u64 at)
{
	return at - u->sp + UNWIND_COPY_BELOW < UNWIND_STACK_BYTES ? STACK_USER_UNREADABLE
								   : STACK_USER_BAD_RULE;
}

/* By frame pointer. @flaw: what it was about this code, if there is none either. */
UNWIND_INLINE int unwind_by_fp(struct unwind_frame *u, int flaw)
{
	if (u->fp < UNWIND_PAGE_BYTES / 2)
		return flaw;
	if (u->fp < u->sp || u->fp - u->sp > UNWIND_STACK_BYTES || u->fp & 7)
		return flaw;
	if (UNWIND_WORD(u, &u->read[0], u->fp) || UNWIND_WORD(u, &u->read[1], u->fp + 8))
		return STACK_USER_UNREADABLE;
	u->sp = u->fp + 2 * sizeof(u->read[0]);
	u->fp = u->read[0];
	u->pc = u->read[1];
	u->is_return = 1;
	u->by_fp = 1;
	return u->pc ? UNWIND_MORE : flaw;
}

/* The kernel's frame for a signal handler: registers of what it has interrupted. */
UNWIND_INLINE int unwind_signal(struct unwind_frame *u)
{
#if UNWIND_X86
	/*
	 * struct ucontext at the stack pointer; its sigcontext (arch/x86/include/uapi/asm) from
	 * rbp on: rbx, rdx, rax, rcx, rsp, rip.
	 */
	enum { RBP, RSP = 5, RIP };

	if (UNWIND_READ(u, u->read, (RIP + 1) * sizeof(u->read[0]), u->sp + 40 + 80))
		return STACK_USER_UNREADABLE;
	u->fp = u->read[RBP];
	u->sp = u->read[RSP];
	u->pc = u->read[RIP];
#else
	/* struct rt_sigframe: siginfo, ucontext; its sigcontext: arch/arm64/include/uapi/asm. */
	enum { FP, LR, SP, PC };

	if (UNWIND_READ(u, u->read, (PC + 1) * sizeof(u->read[0]), u->sp + 312 + 29 * 8))
		return STACK_USER_UNREADABLE;
	u->fp = u->read[FP];
	u->sp = u->read[SP];
	u->pc = u->read[PC];
	u->lr = u->read[LR];
	u->has_lr = 1;
#endif
	u->is_return = 0;
	return UNWIND_MORE;
}

/* The canonical frame address, u->cfa: UNWIND_MORE, or a flaw. */
UNWIND_INLINE int unwind_cfa(struct unwind_frame *u, const struct unwind_rule *r)
{
	__u64 at;

	if (likely(r->cfa == UNWIND_CFA_SP)) {
		u->cfa = u->sp + r->cfa_off;
		return UNWIND_MORE;
	}
	switch (r->cfa) {
	case UNWIND_CFA_CLONE:
		u->cfa = u->sp + r->cfa_off;
		return UNWIND_MORE;
	case UNWIND_CFA_FP:
		u->cfa = u->fp + r->cfa_off;
		return UNWIND_MORE;
	case UNWIND_CFA_PLT:
		u->cfa = u->sp + 8 + ((u->pc & 15) >= (__u32)r->cfa_off ? 8 : 0);
		return UNWIND_MORE;
	case UNWIND_CFA_REG:
	case UNWIND_CFA_INDEXED:
		/* Later frames have other values in their registers. */
		if (u->is_return || u->is_below_signal || UNWIND_REGISTER(u, r->reg, &u->cfa))
			return STACK_USER_BAD_RULE;
		if (r->cfa == UNWIND_CFA_REG) {
			u->cfa += r->cfa_off;
			return UNWIND_MORE;
		}
		at = u->sp + 8 * u->cfa + r->cfa_off;
		break;
#if UNWIND_X86
	case UNWIND_CFA_SAVED:
		at = u->sp + r->cfa_off;
		/* Above the stack: not saved yet, or restored already. */
		if (at >= u->innermost_sp)
			break;
		if (u->is_below_signal || UNWIND_REGISTER(u, r->reg, &u->cfa))
			return STACK_USER_BAD_RULE;
		u->cfa += r->add;
		return UNWIND_MORE;
#endif
	case UNWIND_CFA_SP_DEREF:
		at = u->sp + r->cfa_off;
		break;
	case UNWIND_CFA_FP_DEREF:
		at = u->fp + r->cfa_off;
		break;
	default:
		return STACK_USER_BAD_RULE;
	}
	if (UNWIND_WORD(u, &u->cfa, at))
		return unwind_unreadable(u, at);
	u->cfa += r->add;
	return UNWIND_MORE;
}

/* The return address, u->ra: UNWIND_MORE, or a flaw. */
UNWIND_INLINE int unwind_return(struct unwind_frame *u, const struct unwind_rule *r)
{
	if (likely(r->ra == UNWIND_SAVED_AT_CFA))
		return UNWIND_WORD(u, &u->ra, u->cfa + r->ra_off) ? unwind_unreadable(u, u->cfa)
								  : UNWIND_MORE;
#if !UNWIND_X86
	if (r->ra == UNWIND_SAVED_SAME && u->has_lr) {
		u->ra = u->lr;
		return UNWIND_MORE;
	}
	if (r->ra == UNWIND_SAVED_SAME && !u->is_return)
		return UNWIND_REGISTER(u, 30, &u->ra) ? STACK_USER_BAD_RULE : UNWIND_MORE;
#else
	if (r->ra == UNWIND_SAVED_REG && !u->is_return && !u->is_below_signal)
		return UNWIND_REGISTER(u, r->reg, &u->ra) ? STACK_USER_BAD_RULE : UNWIND_MORE;
#endif
	return STACK_USER_BAD_RULE;
}

/* Behind clone(2): is this the new task? Of code that a signal has interrupted it is not known. */
UNWIND_INLINE int unwind_is_new(struct unwind_frame *u, const struct unwind_rule *r)
{
	return !u->is_return && !u->is_below_signal && !UNWIND_REGISTER(u, r->reg, &u->cfa) &&
	       !u->cfa;
}

UNWIND_INLINE int unwind_by_rule(struct unwind_frame *u, const struct unwind_rule *r)
{
	int err;

	if (unlikely(r->cfa == UNWIND_CFA_SIGNAL)) {
		u->is_below_signal = 1;
		return unwind_signal(u);
	}
	if (unlikely(r->cfa == UNWIND_CFA_STOP ||
		     (r->cfa == UNWIND_CFA_CLONE && unwind_is_new(u, r))))
		return UNWIND_END;
	err = unwind_cfa(u, r);
	if (err == UNWIND_MORE)
		err = unwind_return(u, r);
	if (err != UNWIND_MORE)
		return err;
	u->saved_fp = u->fp;
	if (r->fp == UNWIND_SAVED_AT_CFA || r->fp == UNWIND_SAVED_AT_FP) {
		__u64 at = (r->fp == UNWIND_SAVED_AT_CFA ? u->cfa : u->fp) + r->fp_off;

		if (UNWIND_WORD(u, &u->saved_fp, at))
			return unwind_unreadable(u, at);
	} else if (r->fp != UNWIND_SAVED_SAME) {
		u->saved_fp = 0;
	}
	/* A stack grows down: only a leaf of arm64 has used none of it. */
	if (u->cfa < u->sp || (u->cfa == u->sp && r->ra == UNWIND_SAVED_AT_CFA))
		return STACK_USER_BAD_RULE;
#if UNWIND_X86
	u->innermost_sp = u->is_return ? 0 : u->sp;
#endif
	u->sp = u->cfa;
	u->fp = u->saved_fp;
	u->pc = u->ra;
	u->is_return = 1;
	u->by_fp = 0;
	u->has_lr = 0;
	return u->ra ? UNWIND_MORE : UNWIND_END;
}

/*
 * The first three members of a usual rule, as a number: the canonical frame address is stack or
 * frame pointer plus an offset, the return address lies at it, and so does the caller's frame
 * pointer, or it is where it was. Such numbers differ by UNWIND_BY_FP and UNWIND_SAVES_FP.
 */
enum {
	UNWIND_USUAL = UNWIND_CFA_SP | UNWIND_SAVED_SAME << 8 | UNWIND_SAVED_AT_CFA << 16,
	UNWIND_BY_FP = UNWIND_CFA_FP - UNWIND_CFA_SP,
	UNWIND_SAVES_FP = (UNWIND_SAVED_AT_CFA - UNWIND_SAVED_SAME) << 8,
};
_Static_assert(UNWIND_BY_FP == 1 && UNWIND_SAVES_FP == 1 << 8, "each is a bit of its own");

/* @yes or @no by a condition of 0 or 1: behind a branch the verifier would look at all twice. */
UNWIND_INLINE __u64 unwind_either(__u64 condition, __u64 yes, __u64 no)
{
	return no ^ ((yes ^ no) & -condition);
}

/* A frame while it is in registers, and the words of the stack that have been copied. */
struct unwind_usual {
	__u64 pc, sp, fp;
	const __u64 *words;
	__u64 at;     /* their address */
	__u32 bytes;  /* of them */
	__u32 mask;   /* of places among them, for the verifier */
	__u64 wanted; /* address of a word that was not among them; 0: all were */
};

/*
 * From a frame to its caller, as unwind_by_rule() does, if the rule is a usual one and its words
 * have been copied. False: they are not, or it is not; nothing has changed but u->wanted.
 */
UNWIND_INLINE int unwind_usual(struct unwind_usual *u, const struct unwind_rule *r)
{
	__u64 cfa, ra_at, fp_at;
	__u32 kind;

	__builtin_memcpy(&kind, r, sizeof(kind));
	kind = (kind & 0xffffff) - UNWIND_USUAL;
	if (kind & ~(__u32)(UNWIND_BY_FP | UNWIND_SAVES_FP))
		return 0;
	cfa = unwind_either(kind & UNWIND_BY_FP, u->fp, u->sp) + r->cfa_off;
	kind /= UNWIND_SAVES_FP;
	ra_at = cfa + r->ra_off - u->at;
	fp_at = unwind_either(kind, cfa + r->fp_off - u->at, ra_at);
	if (cfa <= u->sp || (ra_at | fp_at) & 7)
		return 0;
	if (ra_at >= u->bytes || fp_at >= u->bytes) {
		u->wanted = cfa + r->ra_off;
		return 0;
	}
	u->sp = cfa;
	u->pc = u->words[ra_at >> 3 & u->mask];
	u->fp = unwind_either(kind, u->words[fp_at >> 3 & u->mask], u->fp);
	return 1;
}

#endif
