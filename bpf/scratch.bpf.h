/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * scratch.bpf.h - where a program makes a stack (stack.bpf.h), and how it is to be taken.
 */
#ifndef PMUTRACE_SCRATCH_BPF_H
#define PMUTRACE_SCRATCH_BPF_H

#include "stack.wire.h"
#include "table.bpf.h"
#include "task.bpf.h"
#include "unwind.bpf.h"

const volatile struct stack_cfg stack;

enum {
	PAGE_BYTES = 4096, /* the smallest page there is; larger ones only mean more windows */
	PAGE_WORDS = PAGE_BYTES / 8,
	STACK_BYTES = 64 << 20, /* a frame pointer this far off is not on the stack */
};

/* Where in its rings a place is, and the copy that is under way. */
struct copying {
	__u32 next_copy, next_page;
	__u32 nr_pages, nr_untouched;
	__u32 is_bound; /* the stack's end is known: what cannot be read below it was never touched */
	__u32 unused;
	__u64 at, end; /* addresses that have not been copied */
};

/* A frame of the kernel that comes next (orc.bpf.h). */
struct orc_walk {
	__u64 ip, sp, bp;
	__u64 is_return; /* bool: ip is a return address */
	__u64 stack;	 /* what may be read begins here */
};

/*
 * What each sample touches comes first and lies close together: when an interrupt comes caches have
 * been used by others, and each line and page more is waited for.
 */
struct scratch {
	struct stack_found found;
	__u64 sp;	       /* of the innermost frame */
	__u64 fp;	       /* where the next window starts */
	struct user_regs regs; /* to be unwound from, and whose address space that is */
	__u64 mm;
	__u32 is_copied;	   /* user space unwinds it, and counts it */
	struct entry_regs entered; /* where registers are read to */
	struct unwind_state unwind;
	struct orc_walk kernel;
	struct table_record record;
	__u64 words[STACK_ROOM_WORDS + HASH_STEP]; /* key and frames */
	struct unwind_recent_set recent[UNWIND_RECENT_SETS];
	struct copying copying;
	__u64 values[UNWIND_COPY_VALUES]; /* of a sample, for its slot of the table */
	__u64 window[PAGE_WORDS + 1];	  /* WINDOW_BYTES are used; the mask below allows a page */
} __attribute__((aligned(64)));

/*
 * One record for each place of the table: whoever has taken the place owns the record. Programs of
 * perf events never nest on a CPU (bpf_prog_active): their only place is their CPU's number.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE); /* begins with a page, and so at a cache line */
	__uint(max_entries, 1);		   /* set by the loader: places */
	__type(key, __u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

#endif
