/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/export_lines.h - lines of a configuration as the commands read them: `count` and `func` with
 * options that make sense for a metric, which are those about what is measured.
 */
#ifndef PMUTRACE_CMD_EXPORT_LINES_H
#define PMUTRACE_CMD_EXPORT_LINES_H

#include "base/array.h"
#include "base/buf.h"

struct config;
struct probe_line;

/*
 * *out: one for each line, which borrow from @c; to be freed. Whether there are such probes on this
 * machine is not asked. 0; -EINVAL: one of them is wrong; -ENOMEM; with @why.
 */
int export_lines__make(struct probe_line **out, const struct config *c, const char *path,
		       struct buf *why) must_check;

#endif
