/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/report_by.h - report --by: a line for each key, as the run itself would have had with other
 * keys.
 */
#ifndef PMUTRACE_CMD_REPORT_BY_H
#define PMUTRACE_CMD_REPORT_BY_H

#include <stdio.h>

#include "base/array.h"
#include "model/regroup.h"

struct buf;
struct outputs;
struct profile;

/* "comm,pid". 0; -EINVAL with @why; -ENOMEM. */
int report_by__parse(struct regroup_opts *o, const char *text, struct buf *why) must_check;

/* Are they keys that all of these formats can show? 0; -EINVAL with @why; -ENOMEM. */
int report_by__check(const struct regroup_opts *o, const struct outputs *outputs,
		     struct buf *why) must_check;

/* regroup__new(); -EPROTO with @why: @p does not have these keys. */
int report_by__apply(struct profile **out, const struct profile *p, const struct regroup_opts *o,
		     struct buf *why) must_check;

/* @rows: at most; 0: all. 0 or -errno. */
int report_by__write(FILE *f, const struct profile *p, unsigned rows) must_check;

#endif
