/* SPDX-License-Identifier: BSD-2-Clause */
/* clone_as.h - a process that gets the number it is told, by clone3(2), set_tid: Linux 5.5. */
#ifndef TESTS_PROG_CLONE_AS_H
#define TESTS_PROG_CLONE_AS_H

#include <linux/sched.h>
#include <signal.h>

#include "prog.h"

/*
 * fork(2), @pid: the child's number, which nobody has; 0: any. The kernel frees a number some time
 * after its process was waited for.
 */
static inline pid_t clone_as(pid_t pid)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	pid_t child;

	if (pid) {
		args.set_tid = (uintptr_t)&pid;
		args.set_tid_size = 1;
	}
	child = syscall(SYS_clone3, &args, sizeof(args));
	if (child < 0)
		die("clone3");
	return child;
}

#endif
