/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live/procfs.h - one process as /proc has it.
 *
 * Source: /proc/PID/stat (fields 2 comm, 4 ppid, 9 flags), /proc/PID/cmdline, owner of /proc/PID,
 * proc(5). A name may hold anything, ") R 1 (" too: it ends at the last parenthesis.
 */
#ifndef PMUTRACE_LIVE_PROCFS_H
#define PMUTRACE_LIVE_PROCFS_H

#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/processes.h"

enum { PROCFS_COMMAND_BYTES = 1024 };

/*
 * one->command is in @text, instead of what was there: one line of UTF-8, cut behind
 * PROCFS_COMMAND_BYTES. @proc: "/proc", or a fixture. 0; -ENOENT: it has ended, or is hidden;
 * -ENOMEM.
 */
int procfs__process(struct process *one, struct buf *text, const char *proc,
		    uint32_t pid) must_check;

#endif
