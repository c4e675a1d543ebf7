/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sample.wire.h - what the sampling programs and their loader agree on: the key of a sample in the
 * tables of table.wire.h, and the run's configuration.
 */
#ifndef PMUTRACE_SAMPLE_WIRE_H
#define PMUTRACE_SAMPLE_WIRE_H

#include <linux/types.h>

#include "by.wire.h"
#include "stack.wire.h"
#include "table.wire.h"
#include "target.wire.h"
#include "tick.wire.h"
#include "unwind.wire.h"

enum {
	SAMPLE_EVENTS = 16, /* events in one run: one program each */
	SAMPLE_MEMBERS = 4, /* further events of the first one's group: see members.bpf.h */
	SAMPLE_GROUP = 1 + SAMPLE_MEMBERS,
};

/* Set before load; the verifier removes what these switch off. */
struct sample_cfg {
	__u32 by;	     /* enum by: of the task */
	__u32 measures_cost; /* of the programs: table_cpu.own_ns */
	__u32 nr_events;
	__u32 nr_members;
	__u32 not_in_idle; /* a bit for each member that cannot happen while a CPU idles */
};

/* Of sample_less beside enum by: nothing is sampled. */
#define SAMPLE_PAUSED (1u << 31)

/* What the first event's group had counted on a CPU at its last sample, the leader first. */
struct sample_members {
	__u64 last[SAMPLE_GROUP];
};

/*
 * What an event's program has seen on a CPU since it was opened, whoever was sampled: compared with
 * the event's count it shows lost samples. Element cpu * sample_cfg.nr_events + event of `fired`.
 */
struct sample_fired {
	__u64 samples;
	__u64 periods;	/* their sum, in the event's unit */
	__u64 busy;	/* the part of that in samples that did not find the CPU idle */
	__u64 last;	/* period of the last one */
	__u64 longest;	/* period */
	__u64 restarts; /* sum of periods that were given up: see fired.bpf.h */
	__u64 told;	/* samples when a clock event's timer last expired */
	__u64 ip;	/* of the last one in the kernel, if clock_skip() is to learn */
};
_Static_assert(sizeof(struct sample_fired) == 64, "a cache line for each");

/* What a clock event is, by its id (PERF_EVENT_IOC_ID): a value of `clocks`. */
struct sample_clock {
	__u32 event;
	__u32 exclude; /* enum sample_exclude */
};

enum sample_exclude { SAMPLE_NO_USER = 1, SAMPLE_NO_KERNEL = 2, SAMPLE_NO_IDLE = 4 };

/* Hashed as a whole, together with the frames behind it: no padding, zero if not asked for. */
struct sample_key {
	__u64 mm; /* address space: tells a process from its successor in the same pid */
	__u32 tgid;
	__u32 tid;
	char comm[TARGET_COMM_LEN];
	__u64 cgroup;		  /* id in the cgroup2 hierarchy */
	struct stack_found stack; /* source: the event's number */
};
_Static_assert(sizeof(struct sample_key) == 48, "key must have no padding");

_Static_assert((int)SAMPLE_MEMBERS == (int)UNWIND_COPY_VALUES, "a copy has all of a sample");

enum { SAMPLE_KEY_WORDS = sizeof(struct sample_key) / 8 };

#endif
