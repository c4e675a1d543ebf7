/* SPDX-License-Identifier: BSD-2-Clause */
/* machine/tasks.h - which threads run now. Source: proc(5), PID/task/TID and TID/status. */
#ifndef PMUTRACE_MACHINE_TASKS_H
#define PMUTRACE_MACHINE_TASKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"

struct task {
	uint32_t pid, tid;
	uid_t uid; /* effective */
	char comm[16 + 1];
};

struct tasks {
	struct task *items;
	size_t nr, cap;
};

/*
 * Adds the threads of a process, or of all processes (pid 0); of those that end meanwhile some may
 * be missing. @proc: "/proc", or a fixture. 0; -ENOENT: there is no such process; -ENOMEM.
 */
int tasks__add_process(struct tasks *t, const char *proc, uint32_t pid) must_check;

/* Adds one thread: 0, -ENOENT or -ENOMEM. */
int tasks__add_thread(struct tasks *t, const char *proc, uint32_t tid) must_check;

void tasks__free(struct tasks *t);

#endif
