/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/report_calls.h - report --callers, --callees: of one function instead of all of them.
 */
#ifndef PMUTRACE_CMD_REPORT_CALLS_H
#define PMUTRACE_CMD_REPORT_CALLS_H

#include <stdio.h>

#include "base/array.h"

struct buf;
struct outputs;
struct profile;
struct profile_output;

/* Names of functions; NULL: not asked for. */
struct report_calls_opts {
	const char *callers, *callees;
};

/*
 * Checks that both are of one function, and that there are tables to show them in. 0; -EINVAL with
 * @why; -ENOMEM.
 */
int report_calls__check(const struct report_calls_opts *o, const struct outputs *outputs,
			struct buf *why) must_check;

/* Checks that there is such a function. 0; -EPROTO with @why, what may have been meant; -ENOMEM. */
int report_calls__find(const struct report_calls_opts *o, const struct profile *p,
		       struct buf *why) must_check;

/* For each event that @out shows, and then the loss line. 0 or -errno. */
int report_calls__write(const struct report_calls_opts *o, FILE *f,
			const struct profile_output *out) must_check;

#endif
