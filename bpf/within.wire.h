/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * within.wire.h - the map of tasks inside of a function: written by programs at its entry and
 * return (within.bpf.c), read by those that count and sample (within.bpf.h).
 */
#ifndef PMUTRACE_WITHIN_WIRE_H
#define PMUTRACE_WITHIN_WIRE_H

#include <linux/types.h>

/* Keys are thread ids, which are below 1 << 22; of the idle task this and the CPU's number. */
#define WITHIN_IDLE 0x80000000u

struct within_task {
	__u64 sp;    /* of programs: where the outermost call's return address is */
	__u32 depth; /* 0: outside; of the kernel's functions: nested calls */
	__u32 unused;
};

/* Set before load; the verifier removes what these switch off. */
struct within_cfg {
	__u32 is_user; /* bool: a function of a program */
	__u32 decoded; /* bool: its return is seen at the instructions that leave it */
};

struct within_control {
	__u64 left;    /* calls that ended without a return; noticed at the next entry */
	__u64 dropped; /* entries of tasks that there was no room for: they count as outside */
};

#endif
