/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/top_write.h - what the screen shows, into a file: cmd/screen_file.h.
 *
 *	.csv .json	of tasks and CPUs: the interval, as -o writes it, of all rows that filters
 *			leave; of functions and stacks: their samples, as `profile` writes them
 *	.html .svg .folded .jsonl .speedscope.json .firefox.json .trace.json .pb.gz
 *			of functions and stacks: the same
 */
#ifndef PMUTRACE_CMD_TOP_WRITE_H
#define PMUTRACE_CMD_TOP_WRITE_H

#include "base/array.h"
#include "base/buf.h"
#include "cmd/top_run.h"
#include "tui/screen.h"

/*
 * 0; -EINVAL: @why names the endings that work for this page; -EEXIST, -ENOSPC or another -errno
 * with @why: nothing is left of the file.
 */
int top_write(const struct top_run *r, const char *path, const struct screen_page *page,
	      struct buf *why) must_check;

#endif
