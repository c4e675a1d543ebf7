/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * count.wire.h - what the counting programs and their loader agree on: how the words of a key are
 * made from a probe's context.
 *
 * A key in the tables of table.wire.h: struct sample_key, then the fields asked for, each at its
 * word, then the bucket of the histogram, then the frames. One object is loaded for each probe,
 * with fields of its own, or for many that are alike.
 */
#ifndef PMUTRACE_COUNT_WIRE_H
#define PMUTRACE_COUNT_WIRE_H

#include <linux/types.h>

#include "buckets.wire.h"
#include "fetch.wire.h"
#include "filter.wire.h"
#include "sample.wire.h"
#include "stack.wire.h"
#include "table.wire.h"
#include "target.wire.h"

enum {
	COUNT_FIELDS = 8, /* of a key */
	COUNT_WORDS_MAX = SAMPLE_KEY_WORDS + COUNT_FIELDS * FETCH_STRING_WORDS + 1,
};
_Static_assert(COUNT_WORDS_MAX + 0 < STACK_FIRST_MAX + 0, "frames follow");

/* Set before load; the verifier removes what these switch off. */
struct count_cfg {
	struct fetch by[COUNT_FIELDS];
	struct fetch measure; /* what is summed up or put into buckets; source 0: nothing */
	struct buckets_linear linear;
	struct sample_cfg task;
	__u32 nr_by;
	__u32 source;	  /* the probe's number, unless each place has a cookie that tells it */
	__u32 has_cookie; /* bools */
	__u32 at_entry;	  /* entry of a program's function: its frame is not made yet */
	__u32 values;	  /* sum, min and max of the measure are kept */
	__u32 measure_signed;
	__u32 buckets; /* enum buckets_kind of the measure */
	/*
	 * Without keys: hits alone are counted, by the probes' `source`, in the map `totals`, which
	 * has so many for each CPU. 0: there are keys.
	 */
	__u32 totals;
	__u32 calls;	  /* of programs for many system calls: where theirs begin in `calls` */
	__u32 at_exit;	  /* bool, of those: not when they begin, but when they end */
	__u32 call_args;  /* of those: bits of the arguments that are wanted */
	__u32 call_frame; /* of those: one more kernel frame to skip */
};

/*
 * System calls, many at once: one program on the raw tracepoint of all of them. `calls` has
 * COUNT_CALLS numbers for each program: the `source` of the call with that number, and 1; 0: it is
 * not wanted.
 */
enum { COUNT_CALLS = 512 };

/*
 * What is made of a system call: the same as programs are handed of the record of its own
 * tracepoint, struct syscall_tp_t in kernel/trace/trace_syscalls.c.
 */
struct count_syscall {
	__u64 unused;
	__s32 number;
	__u32 pad;
	__u64 args[6]; /* of the exit: the result */
};
_Static_assert(sizeof(struct count_syscall) == 64, "offsets as in events/syscalls/NAME/format");

/* Set by the loader while programs run. */
struct count_control {
	__u32 on; /* bool: while it is 0 nothing is counted */
	__u32 unused;
	__u64 fields_unreadable;  /* a field's memory was not there: it is 0 in the key */
	__u64 filter_unreadable;  /* hits not counted: what the filter compares was not there */
	__u64 measure_unreadable; /* hits not counted: what is to be summed up was not there */
};

#endif
