/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tick.wire.h - what the program that samples in the scheduler's tick and its loader agree on.
 */
#ifndef PMUTRACE_TICK_WIRE_H
#define PMUTRACE_TICK_WIRE_H

#include <linux/types.h>

/* Set before load. */
struct tick_cfg {
	__s64 timer;	   /* from a CPU's hrtimer_bases to its tick_cpu_sched, bytes */
	__s64 regs;	   /* from there to its __irq_regs */
	__u32 exclude;	   /* enum sample_exclude */
	__u32 kernel_most; /* frames that the kernel walks, those of the program and tick included */
};

/* How many of the ticks have a sample. */
struct tick_rate {
	__u64 each;	 /* what a tick adds to tick_cpu.credit: TICK_SAMPLE makes a sample */
	__u64 sample_ns; /* that a sample stands for */
};

#define TICK_SAMPLE 1000000000ull

/* Of a CPU, since the program was attached. Written by that CPU alone. */
struct tick_cpu {
	__u64 ticks;
	__u64 busy;   /* of these, those that did not find the CPU idle */
	__u64 credit; /* of ticks that were in no sample, less than TICK_SAMPLE */
	__u64 timer;  /* address of the CPU's tick among timers; 0: it has not come yet */
	__u64 regs;   /* where its __irq_regs is; set with `timer` */
	__u64 unused[3];
};
_Static_assert(sizeof(struct tick_cpu) == 64, "a cache line for each");

#endif
