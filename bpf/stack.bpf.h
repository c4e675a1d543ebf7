/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stack.bpf.h - the frames of the interrupted task, written into the CPU's scratch record.
 *
 * User frames: saved frame pointers are followed inside a window of the user stack that is
 * copied as one block. bpf_get_stack would read frame by frame and end nearly every chain in
 * a page fault: measured 4 to 5 times slower for the same frames.
 * Kernel frames: bpf_get_stack, only when the sample hit kernel mode (the ORC unwinder is
 * the kernel's own business).
 */
#ifndef PMUTRACE_STACK_BPF_H
#define PMUTRACE_STACK_BPF_H

#include "sample.wire.h"
#include "task.bpf.h"

extern const volatile struct sample_cfg cfg;

enum {
	WINDOW_BYTES = 2048,
	WINDOW_FRAMES = 64, /* followed in one window: a bound for the verifier */
	PAGE_BYTES = 4096,  /* the smallest page there is; larger ones only mean more windows */
	PAGE_WORDS = PAGE_BYTES / 8,
	STACK_BYTES = 64 << 20, /* no stack is larger, as far as telling why a read failed */
	HASH_STEP = 8,		/* words hashed at once: so much room behind the last frame */
};

struct sample_scratch {
	struct sample_record record;
	__u64 frames[2 * SAMPLE_MAX_STACK + HASH_STEP];
	__u64 sp;		      /* of the innermost frame */
	__u64 fp;		      /* where the next window starts */
	__u64 window[PAGE_WORDS + 1]; /* WINDOW_BYTES are used; the mask below allows a page */
};

/* One record for each CPU; perf_event programs never nest on a CPU (bpf_prog_active). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader: CPUs */
	__type(key, __u32);
	__type(value, struct sample_scratch);
} scratch SEC(".maps");

enum walk {
	WALK_MORE, /* the chain goes on outside the window */
	WALK_DONE, /* reached its end, or what cut it short is in key.flaws */
};

/*
 * Copies a window at scratch->fp and follows the chain inside it. A global function: verified
 * once, not once for each window; such functions take numbers only, so the record is looked
 * up again.
 */
__noinline int walk_window(__u32 cpu)
{
	struct sample_scratch *s = bpf_map_lookup_elem(&scratch, &cpu);
	__u32 nr, at, len = WINDOW_BYTES, room;
	__u64 fp, base, off, next, ret;

	if (!s)
		return WALK_DONE;
	fp = base = s->fp;
	nr = s->record.key.nr_user;
	at = s->record.key.nr_kernel;

	/*
	 * Never across a page: its neighbour may not be resident. The mask tells the verifier a
	 * bound without a branch: two paths through the loop below would cost it twice the time.
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
		/* Nowhere near the stack: a register that holds something else. */
		s->record.key.flaws |=
			fp - s->sp < STACK_BYTES ? SAMPLE_USER_UNREADABLE : SAMPLE_USER_BROKEN;
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
		if (nr >= cfg.max_stack) {
			s->record.key.flaws |= SAMPLE_USER_TRUNCATED;
			goto out_done;
		}
		s->frames[(at + nr) & (2 * SAMPLE_MAX_STACK - 1)] = ret & cfg.code_mask;
		nr++;
		if (next < PAGE_BYTES) /* nothing lives on page 0: the outermost frame */
			goto out_done;
		if (next <= fp || (next & 7)) {
			s->record.key.flaws |= SAMPLE_USER_BROKEN;
			goto out_done;
		}
		fp = next;
	}
	s->fp = fp;
	s->record.key.nr_user = nr;
	return WALK_MORE;

out_done:
	s->record.key.nr_user = nr;
	return WALK_DONE;
}

static __always_inline void walk_user(struct sample_scratch *s, __u32 cpu,
				      const struct user_regs *regs)
{
	s->frames[s->record.key.nr_kernel & (2 * SAMPLE_MAX_STACK - 1)] = regs->ip;
	s->record.key.nr_user = 1;
	if (regs->fp < PAGE_BYTES)
		return;
	if (regs->fp & 7) {
		s->record.key.flaws |= SAMPLE_USER_BROKEN;
		return;
	}
	s->sp = regs->sp;
	s->fp = regs->fp;
	for (__u32 i = 0; i < SAMPLE_MAX_STACK && i < cfg.max_stack; i++)
		if (walk_window(cpu) != WALK_MORE)
			return;
	s->record.key.flaws |= SAMPLE_USER_TRUNCATED;
}

/* Asks for one frame more than wanted where the kernel's limit allows: then a cut shows. */
static __always_inline void walk_kernel(struct sample_scratch *s, void *ctx)
{
	long bytes = bpf_get_stack(ctx, s->frames, cfg.kernel_max * 8, 0);
	__u32 nr;

	if (bytes < 0) {
		s->record.key.flaws |= SAMPLE_KERNEL_FAILED;
		return;
	}
	nr = bytes / 8;
	if (nr >= cfg.kernel_max) {
		s->record.key.flaws |= SAMPLE_KERNEL_TRUNCATED;
		nr = cfg.kernel_max;
	}
	if (nr > cfg.max_stack)
		nr = cfg.max_stack;
	s->record.key.nr_kernel = nr;
}

#endif
