/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object/run_time.h - CPU time of all BPF programs that this process has loaded, as the kernel
 * measures it.
 *
 * Source: bpf(2), BPF_ENABLE_STATS (5.8; CAP_SYS_ADMIN); proc_pid_fdinfo(5), run_time_ns. While it
 * is on the kernel measures all programs of the machine, which costs each run some 20 ns.
 */
#ifndef PMUTRACE_OBJECT_RUN_TIME_H
#define PMUTRACE_OBJECT_RUN_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

/* Has it measured until *fd is closed. 0 or -errno with @why. */
int run_time__measure(int *fd, struct buf *why) must_check;

/* So far, ns: of programs with a descriptor in this process. 0 or -errno. */
int run_time__ns(uint64_t *ns) must_check;

#endif
