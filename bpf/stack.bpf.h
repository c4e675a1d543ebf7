/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stack.bpf.h - the frames of the interrupted task, written into the CPU's scratch record.
 *
 * The record is a table's (table.bpf.h): its key's own words first, stack.first of them, then the
 * frames: kernel, innermost first; user, innermost first. The program puts how many there are, and
 * what is wrong with them, into its key.
 *
 * User frames: saved frame pointers are followed inside a window of the user stack that is
 * copied as one block. bpf_get_stack would read frame by frame and end nearly every chain in
 * a page fault: measured 4 to 5 times slower for the same frames.
 * Rules of .eh_frame are followed first, where they are wanted and there are any (unwind.bpf.h).
 * Kernel frames: bpf_get_stack, only when the sample hit kernel mode (the ORC unwinder is
 * the kernel's own business).
 */
#ifndef PMUTRACE_STACK_BPF_H
#define PMUTRACE_STACK_BPF_H

#include "scratch.bpf.h"
#include "stack_copy.bpf.h"
#include "unwind_fast.bpf.h"

enum {
/*
 * A raw tracepoint has no registers of its caller: the program and bpf_trace_runN() are
 * frames of the stack. arm64 (6.1, 6.12) has one more between them, and
 * __bpf_trace_NAME(), which jumps on x86_64.
 */
#if defined(__TARGET_ARCH_x86)
	STACK_SKIP_RAW = 2,
#else
	STACK_SKIP_RAW = 4,
#endif

	WINDOW_BYTES = 2048,
	WINDOW_FRAMES = 64, /* followed in one window: a bound for the verifier */
};

enum walk {
	WALK_MORE, /* the chain goes on outside the window */
	WALK_DONE, /* reached its end, or what cut it short is in found.flaws */
};

/*
 * One frame of 32-bit code at scratch->fp: its words have four bytes. On arm64 such code keeps no
 * chain like this.
 */
static __always_inline int walk_32bit(struct scratch *s)
{
	__u32 at = stack.first + s->found.nr_kernel + s->found.nr_user, next, ret;

	if (bpf_probe_read_user(s->window, sizeof(s->window[0]), (void *)s->fp)) {
		/* As in walk_window(). */
		s->found.flaws |=
			s->fp - s->sp < STACK_BYTES ? STACK_USER_UNREADABLE : STACK_USER_BROKEN;
		return WALK_DONE;
	}
	next = s->window[0];
	ret = s->window[0] >> 32;
	if (!ret)
		return WALK_DONE;
	if (s->found.nr_user >= stack.max_frames) {
		s->found.flaws |= STACK_USER_TRUNCATED;
		return WALK_DONE;
	}
	s->words[at & (STACK_ROOM_WORDS - 1)] = ret;
	s->found.nr_user++;
	if (next < PAGE_BYTES) /* as in walk_window() */
		return WALK_DONE;
	if (next <= s->fp || next & 3) {
		s->found.flaws |= STACK_USER_BROKEN;
		return WALK_DONE;
	}
	s->fp = next;
	return WALK_MORE;
}

/*
 * Copies a window at scratch->fp and follows the chain inside it. A global function: verified
 * once, not once for each window; such functions take numbers only, so the record is looked
 * up again.
 */
__noinline int walk_window(__u32 place)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);
	__u32 nr, at, len = WINDOW_BYTES, room;
	__u64 fp, base, off, next, ret;

	if (!s)
		return WALK_DONE;
	if (s->regs.is_32bit)
		return walk_32bit(s);
	fp = base = s->fp;
	nr = s->found.nr_user;
	at = stack.first + s->found.nr_kernel;

	/*
	 * Not across a page, unless the frame is: its neighbour may not be resident. The mask tells
	 * the verifier a bound without a branch: two paths through the loop below would cost it
	 * twice the time.
	 */
	room = PAGE_BYTES - (fp & (PAGE_BYTES - 1));
	if (len > room)
		len = room;
	if (len < 16)
		len = 16;
	s->window[0] = len;
	barrier();
	len = s->window[0] & (PAGE_BYTES - 1);
	if (bpf_probe_read_user(s->window, len, (void *)fp)) {
		/* Not near the stack: the register does not hold a frame pointer. */
		s->found.flaws |=
			fp - s->sp < STACK_BYTES ? STACK_USER_UNREADABLE : STACK_USER_BROKEN;
		return WALK_DONE;
	}

	for (int i = 0; i < WINDOW_FRAMES; i++) {
		off = fp - base;
		if (off + 16 > len)
			break;
		off = (off >> 3) & (PAGE_WORDS - 1);
		next = s->window[off];
		ret = s->window[off + 1];
		if (!ret)
			goto out_done;
		if (nr >= stack.max_frames) {
			s->found.flaws |= STACK_USER_TRUNCATED;
			goto out_done;
		}
		s->words[(at + nr) & (STACK_ROOM_WORDS - 1)] = ret & stack.code_mask;
		nr++;
		if (next <
		    PAGE_BYTES) /* nothing lives on page 0: the outermost frame, or nonsense */
			goto out_done;
		if (next <= fp || (next & 7)) {
			s->found.flaws |= STACK_USER_BROKEN;
			goto out_done;
		}
		fp = next;
	}
	s->fp = fp;
	s->found.nr_user = nr;
	return WALK_MORE;

out_done:
	s->found.nr_user = nr;
	return WALK_DONE;
}

/*
 * Reads a word of the stack into the state: out of the block of it that was copied last, or of the
 * next one. Not across a page, as its neighbour may not be resident. 0; -1: it cannot be read.
 */
__noinline int unwind_read_word(__u32 place, __u64 at)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);
	struct unwind_state *u;
	__u64 from;
	__u32 len;

	if (!s)
		return -1;
	u = &s->unwind;
	if (at & 7)
		return bpf_probe_read_user(&u->word, sizeof(u->word), (void *)at) ? -1 : 0;
	if (at - u->at >= u->bytes) {
		len = at & (PAGE_BYTES - 1);
		if (len > UNWIND_BLOCK_BELOW)
			len = UNWIND_BLOCK_BELOW;
		from = at - len;
		len = PAGE_BYTES - (from & (PAGE_BYTES - 1));
		if (len > UNWIND_BLOCK_BYTES)
			len = UNWIND_BLOCK_BYTES;
		u->bytes = 0;
		if (bpf_probe_read_user(u->words, len, (void *)from))
			return -1;
		u->at = from;
		u->bytes = len;
	}
	u->word = u->words[(at - u->at) >> 3 & (UNWIND_BLOCK_WORDS - 1)];
	return 0;
}

/*
 * Takes the frame s->unwind, and goes on to its caller: UNWIND_MORE, UNWIND_END, or a flaw. A
 * global function, as the verifier would look at each of hundreds of frames otherwise.
 */
__noinline int unwind_frame(__u32 place)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);
	const struct unwind_rule *r;
	struct unwind_frame *u;
	int flaw = 0;
	__u32 at;

	if (!s)
		return UNWIND_END;
	if (s->found.nr_user >= stack.max_frames)
		return STACK_USER_TRUNCATED;
	u = &s->unwind.frame;
	u->pc &= stack.code_mask;
	at = stack.first + s->found.nr_kernel + s->found.nr_user;
	s->words[at & (STACK_ROOM_WORDS - 1)] = unwind_name_of(u, s->found.nr_user++);
	r = unwind_rule_of(u, s->recent, &flaw);
	if (!r && flaw == STACK_USER_UNKNOWN)
		unwind_ask(bpf_get_current_pid_tgid() >> 32);
	if (likely(r)) {
		s->words[at & (STACK_ROOM_WORDS - 1)] += unwind_name_more(r);
		/*
		 * Else clang keeps addresses of their members instead of the two: more than the 32
		 * bytes of stack that there is room for below a program of func (see below).
		 */
		barrier_var(u);
		barrier_var(r);
		return unwind_by_rule(u, r);
	}
	if (flaw == STACK_USER_UNKNOWN)
		return flaw;
	s->found.flaws |= flaw & STACK_USER_UNKNOWN;
	return unwind_by_fp(u, flaw);
}

/*
 * Hundreds of frames: the verifier follows a loop as often as it runs, but a global function once.
 * So samples, whose stacks are deepest, take blocks of frames. That is one level of calls more than
 * there is room for on the stack below a program of func (arm64 and kernels before 6.12).
 */
#ifdef STACK_SAMPLES

enum { FRAME_BLOCK = 16 };

__noinline int unwind_block(__u32 place)
{
	int more = UNWIND_MORE;

	for (int i = 0; i < FRAME_BLOCK && more == UNWIND_MORE; i++) {
		more = unwind_fast(place);
		if (unlikely(more == UNWIND_SLOW))
			more = unwind_frame(place);
	}
	return more;
}

__noinline int walk_block(__u32 place)
{
	for (int i = 0; i < FRAME_BLOCK; i++)
		if (walk_window(place) != WALK_MORE)
			return WALK_DONE;
	return WALK_MORE;
}

#else

enum { FRAME_BLOCK = 1 };

static __always_inline int unwind_block(__u32 place)
{
	return unwind_frame(place);
}

static __always_inline int walk_block(__u32 place)
{
	return walk_window(place);
}

#endif

enum { BLOCKS_MAX = STACK_MAX_FRAMES / FRAME_BLOCK };

/*
 * By rules, from s->regs on, or from a function's @caller on if its frame is not made yet: nothing
 * is on the stack then but the return address (x86_64). False: mappings or tables of the process
 * are not there yet. The stack is copied then if there is room, and the caller follows frame
 * pointers: user space takes what is found so if rules do not lead further.
 */
static __always_inline int unwind_from(struct scratch *s, __u32 place, __u64 caller)
{
	const struct user_regs *regs = &s->regs;
	__u32 at = stack.first + s->found.nr_kernel;
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct unwind_proc *p = unwind_proc_of(tgid, stack.buckets);
	struct unwind_frame *u;
	int more = UNWIND_MORE;
	__u32 first, nr;
	__u64 life;

	if (unlikely(!p || !unwind_mappings_of(p, tgid, s->mm, &life, &first, &nr))) {
		unwind_ask(tgid);
		s->is_copied = unwind_copy_stack(place, regs->sp, UNWIND_COPY_PAGES);
		s->found.flaws |= STACK_USER_UNKNOWN;
		return 0;
	}
	s->unwind.place = place;
	s->unwind.bytes = 0;
	s->unwind.wanted = regs->sp & ~7ull;
	/* One by one: what a step needs for itself, and lr without has_lr, are not read before. */
	u = &s->unwind.frame;
	u->pc = regs->ip;
	u->sp = regs->sp;
	u->fp = regs->fp;
	u->is_return = regs->is_return;
	u->mapping = u->first = first;
	u->nr = nr;
	u->life = life;
	u->is_below_signal = u->by_fp = u->has_lr = 0;
	u->innermost_sp = 0;
	if (unlikely(caller)) {
		s->words[at & (STACK_ROOM_WORDS - 1)] = regs->ip;
		s->found.nr_user = 1;
		u->pc = caller;
		u->sp += RETURN_BYTES;
		u->is_return = 1;
	}
	/* The call behind the last frame finds that there is one more. */
	for (__u32 i = 0; i <= BLOCKS_MAX && i <= stack.max_frames / FRAME_BLOCK; i++) {
		more = unwind_block(place);
		if (more != UNWIND_MORE)
			break;
	}
	if (more > 0)
		s->found.flaws |= more;
	if (more != STACK_USER_UNKNOWN)
		return 1;
	/* Mappings or tables are not there yet: user space follows the stack when they are. */
	s->found.nr_user = 0;
	s->is_copied = unwind_copy_stack(place, regs->sp, UNWIND_COPY_PAGES);
	return 0;
}

/* s->regs: those with which the task entered the kernel. -1: it has none. */
static __always_inline int entered_with(struct task_struct *t, struct scratch *s)
{
	return user_regs_at_entry(t, &s->regs, &s->entered);
}

/* By frame pointers alone. @caller: as of walk_user(). */
__noinline int walk_frame_pointers(__u32 place, __u64 caller)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);
	__u64 sp, fp;
	__u32 at;

	if (!s)
		return 0;
	at = stack.first + s->found.nr_kernel;
	sp = s->regs.sp;
	fp = s->regs.fp;
	s->words[at & (STACK_ROOM_WORDS - 1)] = s->regs.ip;
	s->found.nr_user = 1;
	if (caller && stack.max_frames > 1) {
		s->words[(at + 1) & (STACK_ROOM_WORDS - 1)] = caller & stack.code_mask;
		s->found.nr_user = 2;
	}
#if !defined(__TARGET_ARCH_x86)
	if (s->regs.is_32bit) {
		s->found.flaws |= STACK_USER_BROKEN;
		return 0;
	}
#endif
	/*
	 * The innermost frame is on the stack that is in use: else the register holds something
	 * else, as 0 where a thread begins. Whether that is so its code tells.
	 */
	if (fp < PAGE_BYTES || fp & (s->regs.is_32bit ? 3 : 7) || fp - sp >= STACK_BYTES) {
		s->found.flaws |= STACK_USER_BROKEN;
		return 0;
	}
	s->fp = fp;
	for (__u32 i = 0; i <= BLOCKS_MAX && i <= stack.max_frames / FRAME_BLOCK; i++)
		if (walk_block(place) != WALK_MORE)
			return 0;
	s->found.flaws |= STACK_USER_TRUNCATED;
	return 0;
}

/*
 * The user half, from s->regs on, in the address space s->mm. @caller: address in the caller of a
 * function without a frame yet; 0: it has made its frame. A global function, which is verified
 * once, not on each way to a stack.
 */
__noinline int walk_user(__u32 place, __u64 caller)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);

	if (!s)
		return 0;
	s->sp = s->regs.sp;
	if (!stack.unwind || s->regs.is_32bit || !unwind_from(s, place, caller))
		walk_frame_pointers(place, caller);
	return 0;
}

/*
 * Asks for one frame more than wanted where the kernel's limit allows, to see that a stack was cut.
 * @skip: innermost frames to leave out.
 */
static __always_inline void walk_kernel(struct scratch *s, void *ctx, __u32 skip)
{
	long bytes = bpf_get_stack(ctx, &s->words[stack.first & (STACK_FIRST_MAX - 1)],
				   stack.kernel_max * 8, skip);
	__u32 nr;

	/*
	 * Whoever is in the kernel has a frame there: none is what kernels before 6.13 or so give
	 * at tracepoints of system calls, which hand over the registers of user mode.
	 */
	if (bytes <= 0) {
		s->found.flaws |= STACK_KERNEL_FAILED;
		return;
	}
	nr = bytes / 8;
	if (nr >= stack.kernel_max) {
		s->found.flaws |= STACK_KERNEL_TRUNCATED;
		nr = stack.kernel_max;
	}
	if (nr > stack.max_frames)
		nr = stack.max_frames;
	s->found.nr_kernel = nr;
}

/* The caller of a function whose first instruction comes next: it has made no frame yet. */
static __always_inline __u64 stack_caller(bpf_user_pt_regs_t *at, struct scratch *s)
{
	__u64 caller = 0;

#if defined(__TARGET_ARCH_x86)
	if (bpf_probe_read_user(&caller, sizeof(caller), (void *)REGS_SP(at)))
		s->found.flaws |= STACK_USER_UNREADABLE;
	if (REGS_32(at))
		caller &= ~0u;
#else
	caller = at->regs[30];
#endif
	return caller;
}

enum {
	STACK_ENTRY = 1, /* before a function's first instruction */
	STACK_CALLER,	 /* before its last: frames as after the return */
};

/*
 * Both halves, as far as they are asked for. @user: @ctx is the registers of user mode, @at_entry
 * (or where else, see above) of a function; else user frames are those with which the kernel was
 * entered. @skip: kernel frames that are our own. The address space that user frames are of; 0:
 * there are none.
 */
static __always_inline __u64 stack_take(void *ctx, int user, int at_entry, __u32 skip,
					struct scratch *s, __u32 place)
{
	struct task_struct *t = current_task();
	__u64 mm = task_mm(t), caller = 0;
	bpf_user_pt_regs_t *at = ctx;
	struct user_regs *regs = &s->regs;

	if (stack.kernel && !user)
		walk_kernel(s, ctx, skip);
	if (!stack.user || !mm || (!user && task_flags(t) & PF_KTHREAD))
		return 0;
	if (user) {
		regs->ip = REGS_IP(at);
		regs->sp = REGS_SP(at);
		regs->fp = REGS_FP(at);
		regs->is_return = 0;
		regs->is_32bit = REGS_32(at);
		if (at_entry)
			caller = stack_caller(at, s);
		if (at_entry == STACK_CALLER) {
			regs->ip = caller & stack.code_mask;
			regs->sp += regs->is_32bit ? RETURN_BYTES / 2 : RETURN_BYTES;
			regs->is_return = 1;
			caller = 0;
		}
	} else if (entered_with(t, s)) {
		return 0;
	}
	s->mm = mm;
	walk_user(place, caller);
	return mm;
}

#endif
