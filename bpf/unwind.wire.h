/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unwind.wire.h - the rules by which programs (unwind.bpf.h) find the caller of a frame whose code
 * keeps no frame pointer, as user space makes them of .eh_frame (src/unwind/) and puts them into
 * maps, unwind_* (src/object/unwind_maps.h).
 *
 * An address finds its rule in four steps, none of which needs a lock:
 *	procs		the process: where its mappings begin in `mappings`, sorted by address.
 *			In buckets, by a hash of its number
 *	mappings	the mapping that has the address: where its file's pages begin in `pages`
 *	pages		the page of UNWIND_PAGE_BYTES that has it: where its rows are in `rows`
 *	rows		the last one of the page that is not above the address: the number of a rule
 * The first row of a page repeats the rule in force there, so that no page needs the one before.
 * A row has 4 bytes. They lie in chunks, elements of `rows`, so that a search looks up one element
 * and not one for each of its steps: two where a page's rows go on in the next chunk.
 *
 * Most frames of a stack are in the next one, too: the rules of UNWIND_RECENT addresses are kept
 * where stacks are made, and searched for again when mappings of the process have changed.
 */
#ifndef PMUTRACE_UNWIND_WIRE_H
#define PMUTRACE_UNWIND_WIRE_H

#include <linux/types.h>

enum {
	UNWIND_PAGE_SHIFT = 13,
	UNWIND_PAGE_BYTES = 1 << UNWIND_PAGE_SHIFT,
	UNWIND_PAGE_ROWS = 1 << UNWIND_PAGE_SHIFT,	  /* at most: one for each byte */
	UNWIND_CHUNK_ROWS = UNWIND_PAGE_ROWS,		  /* no fewer: a page lies in two at most */
	UNWIND_RULES_MAX = 1 << (32 - UNWIND_PAGE_SHIFT), /* that a row can tell apart */
	UNWIND_MAPPINGS_MAX = 1 << 16,			  /* of a process */
};

/* A row: the rule that holds from an address on, which is this far into its page. */
#define UNWIND_ROW(rule, offset) ((__u32)(rule) << UNWIND_PAGE_SHIFT | (offset))
#define UNWIND_ROW_RULE(row)	 ((row) >> UNWIND_PAGE_SHIFT)
#define UNWIND_ROW_OFFSET(row)	 ((row) & (UNWIND_PAGE_BYTES - 1))

/* An element of `pages`: its first row in `rows`, and how many there are. */
#define UNWIND_PAGE(first, nr)	((__u64)(nr) << 32 | (first))
#define UNWIND_PAGE_FIRST(page) ((__u32)(page))
#define UNWIND_PAGE_NR(page)	((__u32)((page) >> 32))

struct unwind_chunk {
	__u32 rows[UNWIND_CHUNK_ROWS];
};

/* How to compute the canonical frame address: what the stack pointer is in the caller. */
enum unwind_cfa {
	UNWIND_CFA_NONE,     /* no rule: code that no FDE is about */
	UNWIND_CFA_SP,	     /* stack pointer + cfa_off */
	UNWIND_CFA_FP,	     /* frame pointer + cfa_off */
	UNWIND_CFA_REG,	     /* register `reg` + cfa_off: known in the innermost frame alone */
	UNWIND_CFA_PLT,	     /* sp + 8, and 8 more from byte cfa_off of 16 on (x86_64's PLT) */
	UNWIND_CFA_SP_DEREF, /* *(sp + cfa_off) + add */
	UNWIND_CFA_FP_DEREF, /* *(fp + cfa_off) + add */
	UNWIND_CFA_INDEXED,  /* *(sp + 8 * register `reg` + cfa_off) + add: innermost frame alone */
	UNWIND_CFA_CLONE,    /* sp + cfa_off; register `reg` is 0: as UNWIND_CFA_STOP */
	UNWIND_CFA_SAVED,    /* x86_64: register `reg` + add; the callee saved it at sp + cfa_off */
	UNWIND_CFA_SIGNAL,   /* the kernel's rt_sigframe at the stack pointer */
	UNWIND_CFA_STOP,     /* the return address is undefined: nobody called this */
	UNWIND_CFA_BAD,	     /* a rule that none of these can express */
};

/* Where the caller's frame pointer, or the return address, is. */
enum unwind_saved {
	UNWIND_SAVED_SAME, /* where it was: in its register (the return address: of arm64, in x30) */
	UNWIND_SAVED_AT_CFA, /* at the canonical frame address + offset */
	UNWIND_SAVED_AT_FP,  /* at the frame pointer + offset (a stack that was realigned) */
	UNWIND_SAVED_REG,    /* return address alone: in register `reg` (x86_64's vfork) */
	UNWIND_SAVED_BAD,    /* somewhere else: not known from here on */
};

/*
 * `reg` of UNWIND_CFA_STOP: the code's first byte is a return address that no call has left there.
 * Return addresses are looked up, and named, by the byte before: this one is named by its own.
 */
enum { UNWIND_NAMED_BY_NEXT = 1 };

/*
 * A rule. On x86_64 the return address of nearly all is UNWIND_SAVED_AT_CFA at -8. Registers are
 * numbered as words of the kernel's struct user_pt_regs (arm64) or pt_regs (x86_64).
 */
struct unwind_rule {
	__u8 cfa; /* enum unwind_cfa */
	__u8 fp;  /* enum unwind_saved */
	__u8 ra;  /* enum unwind_saved */
	__u8 reg;
	__s32 cfa_off;
	__s32 add;
	__s32 fp_off, ra_off; /* arm64's lie at the lower end of the frame, far below its CFA */
	__u32 by_code;	      /* bool: read off instructions; the file does not say it */
};
_Static_assert(sizeof(struct unwind_rule) == 24, "an element of an array");

/*
 * An executable mapping of a process. Of code without rules (made at run time) nr_pages is 0; of a
 * file whose table is not there yet also first_page is UNWIND_NOT_YET, and of one whose table
 * cannot be made, or has found no room, UNWIND_NEVER: its code may have rules.
 */
#define UNWIND_NOT_YET 0xffffffffu
#define UNWIND_NEVER   0xfffffffeu

struct unwind_mapping {
	__u64 start, end;
	__u64 bias; /* an address less this is the place in the file's pages */
	__u32 first_page, nr_pages;
};

struct unwind_proc {
	__u64 mm;	 /* the address space that this is about; 0: of whoever comes first */
	__u64 life;	 /* a number that no other state of a process's mappings has had */
	__u64 check;	 /* UNWIND_PROC_CHECK() of these; another number while they are written */
	__u32 first, nr; /* of `mappings` */
};

/* No two states have the same, nor have parts of two: the product is as good as random. */
#define UNWIND_PROC_CHECK(pid, life, first, nr)                                                    \
	(((life) << 32 ^ (pid)) * 0x9e3779b97f4a7c15ull ^ ((__u64)(nr) << 32 | (first)))

/*
 * An element of `procs`: processes whose numbers share it. Each has two states, of which its key
 * says which one counts: the other is written when its mappings have changed, and then the key.
 */
enum { UNWIND_BUCKET_PROCS = 16, UNWIND_BUCKET_STATES = 2 * UNWIND_BUCKET_PROCS };

struct unwind_bucket {
	__u32 keys[UNWIND_BUCKET_PROCS];		 /* UNWIND_PROC_KEY(); of process 0: free */
	struct unwind_proc states[UNWIND_BUCKET_STATES]; /* two of each key */
};
_Static_assert(sizeof(struct unwind_bucket) % 64 == 0, "keys share a cache line");

#define UNWIND_PROC_KEY(pid, state) ((pid) << 1 | (state))
#define UNWIND_KEY_PID(key)	    ((key) >> 1)
#define UNWIND_KEY_STATE(key)	    ((key)&1)

/* Which of @nr elements has a process: multiplied by 2^32 / golden ratio. */
#define UNWIND_BUCKET_OF(pid, nr) ((__u32)((__u64)(__u32)((__u32)(pid)*0x9e3779b1u) * (nr) >> 32))

/*
 * The rule that was found last for one of the addresses that share this place, and in which of the
 * process's lives: its lower half, which comes again after 2^32 of them. Half a cache line.
 */
struct unwind_recent {
	__u64 pc; /* 0: none yet */
	union {
		struct unwind_rule rule;
		struct {
			__u32 words[5];
			__u32 life; /* in the place of rule.by_code, which programs do not need */
		};
	};
};
_Static_assert(sizeof(struct unwind_recent) == 32, "two to a cache line");
_Static_assert(__builtin_offsetof(struct unwind_recent, life) ==
		       __builtin_offsetof(struct unwind_recent, rule.by_code),
	       "that place");

/* Those of addresses with the same place: a cache line. The second one came last. */
struct unwind_recent_set {
	struct unwind_recent ways[2];
} __attribute__((aligned(64)));

enum { UNWIND_RECENT = 512, UNWIND_RECENT_SETS = UNWIND_RECENT / 2 };

/*
 * Which set an address is in. The product is folded, as its upper bits alone are the same for many
 * addresses that are regularly apart, as those in functions like each other.
 */
#define UNWIND_RECENT_MIX(pc) ((__u64)(pc)*0xd6e8feb86659fd93ull)
#define UNWIND_RECENT_OF(pc)                                                                       \
	((UNWIND_RECENT_MIX(pc) ^ UNWIND_RECENT_MIX(pc) >> 32) & (UNWIND_RECENT_SETS - 1))

/* The frame whose caller is looked for. */
struct unwind_frame {
	__u64 pc, sp, fp;
	__u32 mapping;	       /* of the last frame: likely this one's, too */
	__u32 is_return;       /* pc is a return address: the call before it is what has a rule */
	__u32 first, nr;       /* mappings of the process */
	__u64 life;	       /* of these */
	__u32 is_below_signal; /* registers are those of the interrupted code, mostly not known */
	__u32 by_fp;	       /* pc was found by frame pointer: it may be no address of code */
	__u32 has_lr;	       /* arm64: lr is the register of the interrupted code */
	__u64 innermost_sp;    /* the innermost frame's, while its caller is at hand; else 0 */
	__u64 lr;
	/* While its caller is looked for. Not on the stack, of which programs have little. */
	__u64 cfa, ra, saved_fp;
	__u64 read[8];
	__u32 key;
};

enum {
	UNWIND_MORE = 0, /* there is a caller; flaws of stack.wire.h are greater than 0 */
	UNWIND_END = -1, /* there is none */
	UNWIND_STACK_BYTES = 64 << 20, /* a frame pointer this far off is not on the stack */
};

/*
 * Processes whose stacks came before their mappings were there, or have code in none of these: an
 * element of `asked` is the process that was last put there, by a hash of its number; user space
 * sets it to 0. What is written over is asked for again with the next stack.
 */
enum { UNWIND_ASKED = 256 };

/*
 * Registers and the end of the stack of a sample, for user space: of a process whose mappings were
 * not there yet, to unwind when they are (src/unwind/walk.h); with stack_cfg.verify of others, too,
 * to hold the frames that rules have found against those of another unwinder.
 *
 * Each place of the table has a ring of copies, elements of `unwind_copies`: written while they are
 * free, in their order, then read, and set free again. And a ring of pages, elements of
 * `unwind_stacks`, of which a copy takes as many as its stack has: they are free again when the
 * place's element of `unwind_taken` has been counted on. Where a copy finds no page it ends; when
 * none is free the sample is counted as it is, the former with STACK_USER_UNKNOWN.
 */
enum {
	UNWIND_COPY_PAGES = 256,       /* from the stack pointer on, at most */
	UNWIND_VERIFIED_PAGES = 16,    /* the same, where it is held against a reference's */
	UNWIND_UNBOUND_PAGES = 16,     /* the same, where the kernel does not know the end */
	UNWIND_COPY_PAGE_BYTES = 4096, /* the smallest page that there is */
	UNWIND_COPY_BELOW = 256, /* from so far below the stack pointer: of rules in epilogues */
	UNWIND_COPY_VALUES = 4,	 /* of a sample: SAMPLE_MEMBERS */
	UNWIND_COPY_WORDS = 384, /* of a key and its frames; with more it is not copied */
#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
	UNWIND_REGS = 21,
	UNWIND_REG_IP = 16,
	UNWIND_REG_SP = 19,
	UNWIND_REG_FP = 4,
#else
	UNWIND_REGS = 34,
	UNWIND_REG_IP = 32,
	UNWIND_REG_SP = 31,
	UNWIND_REG_FP = 29,
#endif
};

enum unwind_copy_state {
	UNWIND_COPY_FREE,
	UNWIND_COPY_TO_UNWIND, /* user space counts the sample */
	UNWIND_COPY_TO_VERIFY, /* it has been counted; `words` has its frames */
};

struct unwind_copy {
	__u64 state; /* enum unwind_copy_state */
	__u64 first_ns, period;
	__u64 from;	  /* address of the first byte that was to be copied */
	__u32 first_page; /* counted since the first one: its place in the ring is in its low bits */
	__u32 nr_pages;
	__u32 nr_words;
	__u32 cpu;
	__u32 nr_missed; /* stacks to verify that it had no room for, ever */
	__u32 unused;
	__u64 values[UNWIND_COPY_VALUES]; /* of the sample, as table.wire.h has them */
	__u64 regs[UNWIND_REGS + 1];	  /* struct pt_regs, or user_pt_regs */
	__u64 words[UNWIND_COPY_WORDS];	  /* user frames: by frame pointer */
};

/*
 * What was copied of one: all of it, of the first one from `unwind_copy.from` on. Those that were
 * never touched (parts of large arrays) are not there: they have no element.
 */
struct unwind_copied_page {
	__u64 from; /* address of the first byte */
	__u8 bytes[UNWIND_COPY_PAGE_BYTES];
};

#endif
