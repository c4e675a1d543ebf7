/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * filter.bpf.h - does a hit pass? Evaluates what filter.wire.h has.
 *
 * All comparisons are made, none is skipped: their results together index a truth table. The filter
 * is read-only data, of which the verifier knows all: it verifies as many comparisons as there are,
 * each of its one kind.
 */
#ifndef PMUTRACE_FILTER_BPF_H
#define PMUTRACE_FILTER_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "fetch.bpf.h"
#include "filter.wire.h"
#include "glob.bpf.h"

const volatile struct filter_cfg filter;

static __always_inline int filter_number(void *ctx, __u32 probe,
					 const volatile struct filter_term *t)
{
	__u64 left, right = t->right;

	if (fetch_number(ctx, &t->left, probe, &left) < 0)
		return -1;
	switch (t->compare) {
	case FILTER_EQUAL:
		return left == right;
	case FILTER_LESS:
		return t->is_signed ? (__s64)left < (__s64)right : left < right;
	case FILTER_GREATER:
		return t->is_signed ? (__s64)left > (__s64)right : left > right;
	case FILTER_ANY_BIT:
		return (left & right) != 0;
	}
	return -1;
}

/*
 * @text: room for the string. One without an end in all but its last byte may have been cut: it is
 * not equal, since filters have shorter texts only.
 */
static __always_inline int filter_text(void *ctx, __u32 probe, const volatile struct filter_term *t,
				       __u64 *text)
{
	__u64 differ = 0;

	for (__u32 i = 0; i < FETCH_STRING_WORDS; i++)
		text[i] = 0;
	if (fetch_string(ctx, &t->left, probe, text, FETCH_STRING_BYTES) < 0)
		return -1;
	if (t->compare == FILTER_GLOB)
		return glob_matches(&filter.globs[t->glob & (FILTER_GLOBS - 1)], (char *)text,
				    FETCH_STRING_BYTES - 1);
	for (__u32 i = 0; i < FETCH_STRING_WORDS; i++)
		differ |= text[i] ^ t->text[i];
	return !differ;
}

/*
 * 1: the hit passes; 0: it does not; -1: what it compares could not be read, or is a string that
 * was cut where a pattern needs the rest. @text: FETCH_STRING_WORDS words of scratch memory.
 */
static __always_inline int filter_passes(void *ctx, __u32 probe, __u64 *text)
{
	volatile __u64 *forget = text;
	__u64 index = 0;

	if (!filter.nr)
		return 1;
	for (__u32 i = 0; i < FILTER_TERMS && i < filter.nr; i++) {
		const volatile struct filter_term *t = &filter.terms[i];
		int holds = t->compare >= FILTER_SAME_TEXT ? filter_text(ctx, probe, t, text)
							   : filter_number(ctx, probe, t);

		if (holds < 0)
			return -1;
		/*
		 * Stored in memory, so that the verifier forgets the value: else each comparison
		 * would double the states that it explores.
		 */
		*forget = holds;
		index |= (*forget & 1) << i;
	}
	return filter.truth[(index / 64) & (FILTER_TRUTH_WORDS - 1)] >> (index & 63) & 1;
}

#endif
