/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/unwind_check.h - how stacks that rules were followed on compare with those of another
 * unwinder: --verify-unwind. But for `kernel` all is about user stacks.
 *
 *	samples that have a user stack = compared + skipped
 *	compared = same + those with an explained difference + different
 */
#ifndef PMUTRACE_MODEL_UNWIND_CHECK_H
#define PMUTRACE_MODEL_UNWIND_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* What a comparison came to: the same, or why not. */
enum unwind_check_result {
	UNWIND_CHECK_SAME,
	/* The same up to where the other one needs more of the stack than was copied. */
	UNWIND_CHECK_UNCOPIED,
	/* They part in code that one of them has no rule for: it follows the frame pointer. */
	UNWIND_CHECK_BY_FP,
	/* The same up to a rule that the other one cannot follow. */
	UNWIND_CHECK_GAVE_UP,
	/* The same up to where ours ended early, which it says. */
	UNWIND_CHECK_INCOMPLETE,
	UNWIND_CHECK_DIFFERENT, /* for no such reason: one of them is wrong */
	UNWIND_CHECK_RESULTS,
};

/* Why a stack was not compared. */
enum unwind_check_skip {
	UNWIND_CHECK_NO_COPY,	/* there was no room for a copy, or no table yet */
	UNWIND_CHECK_NO_FILES,	/* tables of the process's files are not there */
	UNWIND_CHECK_NO_READER, /* the other unwinder could not say */
	UNWIND_CHECK_SKIPS,
};

/* Kernel stacks that rules were followed on, beside the kernel's own walk in the same samples. */
struct unwind_check_kernel {
	bool is_known;
	uint64_t same, different;
	uint64_t left; /* to the kernel alone: rules were not followed to the end */
};

struct unwind_check {
	bool wanted;
	char reference[48]; /* which unwinder: "elfutils 0.188" */
	uint64_t results[UNWIND_CHECK_RESULTS];
	uint64_t skipped[UNWIND_CHECK_SKIPS];
	struct unwind_check_kernel kernel;
};

/* A result's, or a skip's: its name in JSON; and for people, behind a number. */
const char *unwind_check__name(enum unwind_check_result result);
const char *unwind_check__text(enum unwind_check_result result);
const char *unwind_check__skip_name(enum unwind_check_skip skip);
const char *unwind_check__skip_text(enum unwind_check_skip skip);

uint64_t unwind_check__nr_compared(const struct unwind_check *c);
uint64_t unwind_check__nr_skipped(const struct unwind_check *c);

#endif
