/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sample.wire.h - what the sampling programs and their loader agree on: the key of a sample in the
 * tables of table.wire.h, and the run's configuration.
 */
#ifndef PMUTRACE_SAMPLE_WIRE_H
#define PMUTRACE_SAMPLE_WIRE_H

#include <linux/types.h>

#include "stack.wire.h"
#include "table.wire.h"
#include "target.wire.h"

enum { SAMPLE_EVENTS = 16 }; /* events in one run: one program each */

/* Set before load; the verifier removes what these switch off. */
struct sample_cfg {
	__u32 by_pid; /* bools */
	__u32 by_tid;
	__u32 by_comm;
	__u32 by_cgroup;
	__u32 measures_cost; /* of samples: table_generation.own_ns */
};

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

enum { SAMPLE_KEY_WORDS = sizeof(struct sample_key) / 8 };

#endif
