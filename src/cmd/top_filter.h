/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd/top_filter.h - makes of the target options a filter of the tasks that top shows. */
#ifndef PMUTRACE_CMD_TOP_FILTER_H
#define PMUTRACE_CMD_TOP_FILTER_H

#include <stdbool.h>

#include "base/array.h"
#include "base/buf.h"
#include "cmd/targets.h"
#include "model/livefilter.h"
#include "model/processes.h"

/**
 * top_filter__open() - which tasks are shown
 * @p: borrowed
 * @replay: what was recorded need not exist now
 *
 * Return: 0; -EINVAL, -ENOENT or another -errno with @why.
 */
int top_filter__open(struct livefilter **out, const struct target_opts *o,
		     const struct processes *p, bool replay, struct buf *why) must_check;

#endif
