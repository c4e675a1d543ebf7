/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/func_fields.h - private to the sources of plan/func_plan.h: fields that are fetched at the
 * entry of a call or at its return.
 */
#ifndef PMUTRACE_PLAN_FUNC_FIELDS_H
#define PMUTRACE_PLAN_FUNC_FIELDS_H

#include "plan/func_plan.h"

/* Sets keys, filter and match, once the plan's functions are known. 0; -EINVAL, .. with @why. */
int func_plan__fields(struct func_plan *p, const struct func_plan_opts *opts,
		      struct buf *why) must_check;

/* Which probe a filter's comparisons are about. */
enum func_filter_of {
	FILTER_OF_TASK = 0, /* neither: fields that any probe has */
	FILTER_OF_ENTRY = 1 << 0,
	FILTER_OF_RETURN = 1 << 1, /* `ret` */
};
unsigned func_filter__of(const char *text); /* both: bits or'ed */

#endif
