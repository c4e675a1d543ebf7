/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sample.wire.h - what the sampling programs and their loader agree on.
 *
 * Every CPU writes memory of its own: no atomics, no bouncing cache lines. That memory exists
 * twice (a generation); programs write the active one, user space drains the other.
 *
 *	slots	open-addressing table of counts, (1 << slot_bits) per CPU and generation
 *	store	a log of records, one for each distinct key, `chunks` of it per CPU and
 *		generation; a record never crosses a chunk
 *	cpus	counters of the CPU, and how much of each generation is in use
 *
 * All three are mmap-able arrays: user space reads and clears them as memory.
 */
#ifndef PMUTRACE_SAMPLE_WIRE_H
#define PMUTRACE_SAMPLE_WIRE_H

#include <linux/types.h>

enum {
	SAMPLE_EVENTS = 16,	   /* events in one run: one program each */
	SAMPLE_MAX_STACK = 512,	   /* frames of each half, kernel and user */
	SAMPLE_CHUNK_WORDS = 8192, /* 64 KiB */
	SAMPLE_GENERATIONS = 2,
	SAMPLE_PROBES = 32, /* slots looked at before a table counts as full */
	SAMPLE_COMM_LEN = 16,
};

/* A sample that reached no row. */
enum sample_loss {
	SAMPLE_LOST_SLOTS, /* no slot within SAMPLE_PROBES, or too many stacks */
	SAMPLE_LOST_STORE, /* the store has no room for a new stack */
	SAMPLE_LOST_MAP,   /* a map did not have this CPU: must never happen */
	SAMPLE_LOST_NR,
};

/* What is wrong with a stack that was kept; part of the key, so the rows tell how many. */
enum sample_flaw {
	SAMPLE_USER_TRUNCATED = 1 << 0,	  /* more user frames than max_stack */
	SAMPLE_USER_UNREADABLE = 1 << 1,  /* the stack's memory was not resident */
	SAMPLE_USER_BROKEN = 1 << 2,	  /* frame pointers lead nowhere: code without them */
	SAMPLE_KERNEL_TRUNCATED = 1 << 3, /* as many kernel frames as asked for */
	SAMPLE_KERNEL_FAILED = 1 << 4,	  /* bpf_get_stack failed */
};

/* Set before load; the verifier removes what these switch off. */
struct sample_cfg {
	__u32 slot_bits;
	__u32 chunks;	  /* of the store, per CPU and generation */
	__u32 max_stacks; /* distinct keys per CPU and generation */
	__u32 max_stack;  /* frames of each half */
	__u32 kernel_max; /* frames of the kernel half: max_stack or the kernel's own limit */
	__u32 user_stack; /* bools from here on */
	__u32 kernel_stack;
	__u32 by_tid;
	__u32 by_comm;
	__u32 by_cgroup;
	__u32 idle; /* keep samples of the idle task */
	__u32 filter_pid;
	__u32 filter_tid;
	__u32 filter_uid;
	__u32 filter_comm;
	__u32 uid;
	__u32 command;	     /* this process passes from its next exec on, 0: none */
	__u64 cgroup_levels; /* bit n: some wanted cgroup is n levels below the root */
	__u64 seed;	     /* of the hash: keys cannot be made to collide from outside */
	__u64 code_mask;     /* arm64: strips pointer authentication from return addresses */
};

struct sample_slot {
	__u64 hash;
	__u64 samples; /* 0: free */
	__u64 weight;  /* sum of the sample periods */
	__u32 check;   /* 32 more bits of the hash */
	__u32 record;  /* word in the store */
};
_Static_assert(sizeof(struct sample_slot) == 32, "two slots to a cache line");

/* Hashed as a whole, together with the frames behind it: no padding, zero if not asked for. */
struct sample_key {
	__u64 mm; /* address space: tells a process from its successor in the same pid */
	__u32 tgid;
	__u32 tid;
	char comm[SAMPLE_COMM_LEN];
	__u64 cgroup; /* id in the cgroup2 hierarchy */
	__u16 event;
	__u16 flaws;
	__u16 nr_kernel; /* frames */
	__u16 nr_user;
};
_Static_assert(sizeof(struct sample_key) == 48, "key must have no padding");

struct sample_record {
	__u64 first_ns; /* CLOCK_MONOTONIC of the first sample */
	__u32 slot;	/* within the CPU's generation */
	__u32 words;	/* of the whole record; 0: the rest of this chunk is unused */
	struct sample_key key;
	/* then the frames, 8 bytes each: kernel, innermost first; user, innermost first */
};

enum {
	SAMPLE_KEY_WORDS = sizeof(struct sample_key) / 8,
	SAMPLE_RECORD_WORDS = sizeof(struct sample_record) / 8, /* without its frames */
};

struct sample_chunk {
	__u64 words[SAMPLE_CHUNK_WORDS];
};

struct sample_generation {
	__u32 words;  /* of the store, in use */
	__u32 stacks; /* records in it */
};

struct sample_cpu {
	__u64 seen; /* samples that passed the filters */
	__u64 lost[SAMPLE_LOST_NR];
	struct sample_generation gen[SAMPLE_GENERATIONS];
	__u64 pad[2]; /* a cache line for each CPU */
};
_Static_assert(sizeof(struct sample_cpu) == 64, "one cache line");

/* Shared by all CPUs, written by user space and by the fork and exec programs. */
struct sample_control {
	__u32 active;		/* generation that programs write: 0 or 1 */
	__u32 started;		/* the command has begun */
	__u64 children_dropped; /* processes not followed: the table of targets is full */
};

#endif
