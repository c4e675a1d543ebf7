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
 * Kernel frames: bpf_get_stack, only when the sample hit kernel mode (the ORC unwinder is
 * the kernel's own business).
 */
#ifndef PMUTRACE_STACK_BPF_H
#define PMUTRACE_STACK_BPF_H

#include "stack.wire.h"
#include "table.bpf.h"
#include "task.bpf.h"

const volatile struct stack_cfg stack;

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
	PAGE_BYTES = 4096,  /* the smallest page there is; larger ones only mean more windows */
	PAGE_WORDS = PAGE_BYTES / 8,
	STACK_BYTES = 64 << 20, /* a frame pointer this far off is not on the stack */
};

struct scratch {
	struct table_record record;
	__u64 words[STACK_ROOM_WORDS + HASH_STEP]; /* key and frames */
	__u64 sp;				   /* of the innermost frame */
	__u64 fp;				   /* where the next window starts */
	struct stack_found found;
	__u64 window[PAGE_WORDS + 1]; /* WINDOW_BYTES are used; the mask below allows a page */
};

/*
 * One record for each place of the table: whoever has taken the place owns the record. Programs of
 * perf events never nest on a CPU (bpf_prog_active): their only place is their CPU's number.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader: places */
	__type(key, __u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

enum walk {
	WALK_MORE, /* the chain goes on outside the window */
	WALK_DONE, /* reached its end, or what cut it short is in found.flaws */
};

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

/* @caller: address in the caller of a function without a frame yet; 0: it has made its frame. */
static __always_inline void walk_user(struct scratch *s, __u32 place, const struct user_regs *regs,
				      __u64 caller)
{
	__u32 at = stack.first + s->found.nr_kernel;

	s->words[at & (STACK_ROOM_WORDS - 1)] = regs->ip;
	s->found.nr_user = 1;
	if (caller && stack.max_frames > 1) {
		s->words[(at + 1) & (STACK_ROOM_WORDS - 1)] = caller & stack.code_mask;
		s->found.nr_user = 2;
	}
	if (regs->fp < PAGE_BYTES)
		return;
	/* The innermost frame is on the stack that is in use: else the register holds something
	 * else. */
	if (regs->fp & 7 || regs->fp - regs->sp >= STACK_BYTES) {
		s->found.flaws |= STACK_USER_BROKEN;
		return;
	}
	s->sp = regs->sp;
	s->fp = regs->fp;
	for (__u32 i = 0; i < STACK_MAX_FRAMES && i < stack.max_frames; i++)
		if (walk_window(place) != WALK_MORE)
			return;
	s->found.flaws |= STACK_USER_TRUNCATED;
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
	struct user_regs regs;

	if (stack.kernel && !user)
		walk_kernel(s, ctx, skip);
	if (!stack.user || !mm || (!user && task_flags(t) & PF_KTHREAD))
		return 0;
	if (user) {
		regs.ip = REGS_IP(at);
		regs.sp = REGS_SP(at);
		regs.fp = REGS_FP(at);
		if (at_entry)
			caller = stack_caller(at, s);
		if (at_entry == STACK_CALLER) {
			regs.ip = caller & stack.code_mask;
			caller = 0;
		}
	} else if (user_regs_at_entry(t, &regs)) {
		return 0;
	}
	walk_user(s, place, &regs, caller);
	return mm;
}

#endif
