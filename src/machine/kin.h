/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/kin.h - CPU time of a process and of all that it has started: what a tool costs whose
 * work is done by several processes.
 *
 * Source: proc(5), PID/task/TID/children (3.5; CONFIG_PROC_CHILDREN), PID/stat (times of children
 * that have been waited for), and the CPU clocks of processes (clock_getcpuclockid(3)).
 */
#ifndef PMUTRACE_MACHINE_KIN_H
#define PMUTRACE_MACHINE_KIN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"

struct kin {
	uint64_t cpu_ns;  /* user and system mode, up to now; of those that have ended, too */
	unsigned nr;	  /* processes that there are, the first included */
	bool is_complete; /* their children could be asked for */
};

/**
 * kin__look() - what a process and its descendants have used
 * @pid:     of the first; its own descendants are looked for as long as there are not too many
 * @without: a descendant that is left out with all of its own, such as a command that is measured;
 *	     0: none. Once it has been waited for it is counted: that ends a run.
 *
 * A process that ends while this looks may be missing for once, or be there twice: who wants sums
 * that never shrink keeps the largest. 0; -ESRCH: there is no such process; another -errno.
 */
int kin__look(struct kin *out, pid_t pid, pid_t without) must_check;

#endif
