/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/filter_term.h - one comparison of a filter: what plan/filter.c, which parses the expression,
 * is made of.
 */
#ifndef PMUTRACE_PLAN_FILTER_TERM_H
#define PMUTRACE_PLAN_FILTER_TERM_H

#include <stdbool.h>

#include "plan/filter.h"

struct filter_parser {
	struct filter_cfg *out;
	struct fields *fields;
	struct buf *kernel;   /* the filter up to here, in the kernel's words */
	bool beyond_kernel;   /* the kernel's filters cannot say it */
	struct buf *sentence; /* what is wrong */
	const char *text;     /* all of it */
	const char *at;	      /* what comes next */
	const char *bad;      /* place in text of what is wrong; NULL: nothing is */
	unsigned depth;	      /* of parentheses */
};

/* Appends a sentence about what is at @bad. Returns -EINVAL or -ENOMEM. */
int filter__refuse(struct filter_parser *p, const char *bad, const char *fmt, ...) must_check
	__attribute__((format(printf, 3, 4)));

void filter__skip_blanks(struct filter_parser *p);

/*
 * Parses the next comparison. *term: its number in the filter; equal ones share one. *negated: it
 * holds when the term does not. 0 or -errno with a sentence.
 */
int filter__comparison(struct filter_parser *p, unsigned *term, bool *negated) must_check;

#endif
