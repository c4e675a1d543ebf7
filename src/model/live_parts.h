/* SPDX-License-Identifier: BSD-2-Clause */
/* model/live_parts.h - what live.c and live_rows.c share. */
#ifndef PMUTRACE_MODEL_LIVE_PARTS_H
#define PMUTRACE_MODEL_LIVE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/strtab.h"
#include "model/live.h"

/* A task in one cgroup; if it moves to another, it gets a second entry for that. */
struct task {
	struct live_task is;
	unsigned ends;
	uint32_t other;	    /* earlier entry of the same tid, in another cgroup; or NO_TASK */
	uint32_t last_use;  /* head of the list of its first LISTED_USES uses; or NO_USE */
	uint32_t nr_listed; /* length of that list */
};

enum { NO_TASK = UINT32_MAX, NO_USE = UINT32_MAX, LISTED_USES = 8 };

/* What a task has used on a CPU; its values are in live.values. */
struct use {
	uint32_t task, cpu;
	uint32_t before; /* next in the task's list; NO_USE: its end, or not listed */
};

struct live {
	size_t nr_values;
	struct live_about about;
	struct strtab *names; /* of its events and losses */
	/* Of this interval. */
	struct task *tasks;
	size_t nr_tasks, cap_tasks;
	struct idmap by_tid; /* tid -> the task's latest entry */
	struct use *uses;
	size_t nr_uses, cap_uses;
	struct idmap by_use; /* task << 32 | CPU -> use, of those not in a task's list */
	uint64_t *values;    /* nr_values of each use */
	size_t cap_values;
	size_t nr_cpus; /* that were ever seen */
};

/* Threads and processes are numbered alike. */
static inline uint32_t live_task__number(const struct live_task *t)
{
	return t->tid ? t->tid : t->tgid;
}

static inline bool live_task__is_idle(const struct live_task *t)
{
	return !live_task__number(t);
}

#endif
