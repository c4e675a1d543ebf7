/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * filter.wire.h - which hits of a probe are counted: comparisons of fields, and which of them have
 * to hold together. Evaluated by filter.bpf.h, made from text by plan/filter.h.
 *
 * The kernel has filters of its own for tracepoints, but looks at them after the programs have run:
 * perf_trace_run_bpf_submit() calls trace_call_bpf() first (kernel/events/core.c).
 */
#ifndef PMUTRACE_FILTER_WIRE_H
#define PMUTRACE_FILTER_WIRE_H

#include <linux/types.h>

#include "fetch.wire.h"
#include "target.wire.h"

enum {
	FILTER_TERMS = 8,
	FILTER_GLOBS = 2, /* comparisons with a pattern among them */
	FILTER_TRUTH_WORDS = (1 << FILTER_TERMS) / 64,
};

enum filter_compare {
	FILTER_EQUAL,
	FILTER_LESS,
	FILTER_GREATER,
	FILTER_ANY_BIT,	  /* left & right is not 0 */
	FILTER_SAME_TEXT, /* all bytes up to the end */
	FILTER_GLOB,
};

struct filter_term {
	struct fetch left; /* numbers: FETCH_NUMBER; texts: the forms of strings */
	__u8 compare;
	__u8 is_signed; /* of FILTER_LESS and FILTER_GREATER */
	__u8 glob;	/* of FILTER_GLOB: which */
	__u8 unused[5];
	__u64 right;			/* the number */
	__u64 text[FETCH_STRING_WORDS]; /* the string, then zeros */
};

/* Set before load. All zero: everything passes. */
struct filter_cfg {
	__u32 nr; /* terms */
	__u32 unused;
	/* Truth table: bit n of an index is the result of term n; the bit there: whether it passes.
	 */
	__u64 truth[FILTER_TRUTH_WORDS];
	struct filter_term terms[FILTER_TERMS];
	struct target_glob globs[FILTER_GLOBS];
};

#endif
