/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/cputime.h - what the kernel's own accounting says that each CPU did.
 *
 * Source: proc_stat(5). Sums since boot. Idle and stolen time are measured by the kernel, not
 * sampled, and told in ticks of 1/100 s; which part of the rest was user or system time is an
 * estimate of its timer interrupt.
 */
#ifndef PMUTRACE_MACHINE_CPUTIME_H
#define PMUTRACE_MACHINE_CPUTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

enum { CPUTIME_TICK_NS = 10000000 }; /* USER_HZ is 100 on every architecture of ours */

struct cputime {
	uint64_t idle_ns;   /* waiting for input and output included */
	uint64_t stolen_ns; /* by a hypervisor */
	uint64_t busy_ns;   /* all other time: the estimate */
	uint64_t task_ns;   /* of that what tasks ran for, interrupts left out */
	bool online;	    /* it is listed; else the rest is 0 */
};

/*
 * Opens /proc/stat for the caller to keep: later readings need no further descriptor. That, or
 * -errno. @root: "" or a fixture tree.
 */
int cputime__open(const char *root) must_check;

/* The times of CPUs 0 to @nr - 1. 0 or -errno. */
int cputime__read(int fd, struct cputime *cpus, size_t nr) must_check;

#endif
