/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stack.wire.h - how programs take stacks (stack.bpf.h), and the flaws that they report.
 */
#ifndef PMUTRACE_STACK_WIRE_H
#define PMUTRACE_STACK_WIRE_H

#include <linux/types.h>

enum {
	STACK_MAX_FRAMES = 512,	 /* of each half, kernel and user */
	STACK_FIRST_MAX = 128,	 /* a key's own words are fewer */
	STACK_ROOM_WORDS = 2048, /* a power of two with room for all of them */
};
_Static_assert(STACK_FIRST_MAX + 2 * STACK_MAX_FRAMES < STACK_ROOM_WORDS, "keys fit");

/* What is wrong with a stack that was kept; part of its key, so the rows tell how many. */
enum stack_flaw {
	STACK_USER_TRUNCATED = 1 << 0,	 /* more user frames than max_frames */
	STACK_USER_UNREADABLE = 1 << 1,	 /* the stack's memory was not resident */
	STACK_USER_BROKEN = 1 << 2,	 /* frame pointers lead nowhere: code without them */
	STACK_KERNEL_TRUNCATED = 1 << 3, /* as many kernel frames as asked for */
	STACK_KERNEL_FAILED = 1 << 4,	 /* bpf_get_stack failed, or found no frame */
	/* Where rules of .eh_frame are followed (unwind.wire.h). */
	STACK_USER_NO_RULE = 1 << 5,  /* code without a rule, and no frame pointer in its place */
	STACK_USER_BAD_RULE = 1 << 6, /* its rule leads nowhere, or cannot be followed */
	/*
	 * Code in no mapping that is known yet, or of a file whose table is not there. If there are
	 * frames behind it, they were found by frame pointer: some may be missing in between.
	 */
	STACK_USER_UNKNOWN = 1 << 7,
	STACK_LEFT_OUT = 1 << 8, /* a half of it, to cost less for now */
	/* Those that say nothing of user frames that are there. */
	STACK_NOT_OF_USER = STACK_KERNEL_TRUNCATED | STACK_KERNEL_FAILED | STACK_LEFT_OUT,
};

/* Set before load; the verifier removes what these switch off. */
struct stack_cfg {
	__u32 first;	  /* words of the key before the frames */
	__u32 max_frames; /* of each half */
	__u32 kernel_max; /* of the kernel half: max_frames or the kernel's own limit */
	__u32 user;	  /* bool: take user frames */
	__u32 kernel;	  /* bool: take kernel frames */
	__u32 unwind;	  /* bool: follow rules of .eh_frame where there are any */
	__u32 copies;	  /* elements of unwind_copies for each place of the table */
	__u32 copy_pages; /* of unwind_stacks; a power of two */
	__u32 verify;	  /* bool: stacks that rules were followed on are copied, too */
	__u32 buckets;	  /* elements of unwind_procs */
	__u64 code_mask;  /* arm64: strips pointer authentication from return addresses */
};

/* A word of the key. */
struct stack_found {
	__u16 source; /* number of the event, probe or function */
	__u16 flaws;
	__u16 nr_kernel; /* frames */
	__u16 nr_user;
};
_Static_assert(sizeof(struct stack_found) == 8, "one word");

#endif
