/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * target.wire.h - which tasks a run is about, as the loader tells the programs (target.bpf.h).
 */
#ifndef PMUTRACE_TARGET_WIRE_H
#define PMUTRACE_TARGET_WIRE_H

#include <linux/types.h>

enum {
	TARGET_COMM_LEN = 16, /* TASK_COMM_LEN */
	TARGET_CPU_WORDS = 128,
	TARGET_CPUS = TARGET_CPU_WORDS * 64,
};

/* Set before load; the verifier removes what these switch off. Conditions all have to hold. */
struct target_cfg {
	__u32 filter_pid; /* bools */
	__u32 filter_tid;
	__u32 filter_uid;
	__u32 filter_comm;
	__u32 idle; /* the idle task is a target too */
	__u32 uid;
	__u32 command;	  /* this process passes from its next exec on, 0: none */
	__u32 filter_cpu; /* bool: of target_cpus, a bit for each */
	__u32 within;	  /* bool: only inside of a function (within.wire.h) */
	__u32 unused;
	__u64 cgroup_levels; /* bit n: some wanted cgroup is n levels below the root */
};

/* The --comm glob as an automaton: tokens as a bit set (base/glob.h has it in words). */
struct target_glob {
	__u64 accepts[256]; /* which positions may each byte take? */
	__u64 stars;	    /* positions that are a '*' */
	__u64 end;	    /* the position behind the last token */
};

/* Shared by all CPUs, written by the fork and exec programs. */
struct target_control {
	__u32 started; /* the command has begun */
	__u32 unused;
	__u64 children_dropped; /* processes not followed: the table of targets is full */
};

#endif
