/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/calls_fields.h - private to the sources of plan/calls_plan.h: fields that are fetched at the
 * entry of a call or at its return.
 */
#ifndef PMUTRACE_PLAN_CALLS_FIELDS_H
#define PMUTRACE_PLAN_CALLS_FIELDS_H

#include "plan/calls_plan.h"

/* Sets keys, filter and match, once the plan's functions are known. 0; -EINVAL, .. with @why. */
int calls_plan__fields(struct calls_plan *p, const struct calls_plan_opts *opts,
		       struct buf *why) must_check;

/* Which probe a filter's comparisons are about. */
enum calls_filter_of {
	FILTER_OF_TASK = 0, /* neither: fields that any probe has */
	FILTER_OF_ENTRY = 1 << 0,
	FILTER_OF_RETURN = 1 << 1, /* `ret` */
};
unsigned calls_filter__of(const char *text); /* both: bits or'ed */

#endif
