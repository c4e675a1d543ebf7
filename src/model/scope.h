/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/scope.h - the part of a profile that is looked at: some processes, threads or a cgroup.
 */
#ifndef PMUTRACE_MODEL_SCOPE_H
#define PMUTRACE_MODEL_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

enum scope_of {
	SCOPE_ALL,
	SCOPE_PROCESSES, /* the profile has BY_PID */
	SCOPE_THREADS,	 /* BY_TID */
	SCOPE_CGROUP,	 /* BY_CGROUP */
};

/* Zero: everything. What it points to is borrowed. */
struct scope {
	enum scope_of of;
	const uint32_t *ids; /* of processes or threads: any of these */
	size_t nr_ids;
	const char *cgroup; /* path as the profile has it; those below it are others */
	/* Of these, the rows that it says yes to; NULL: all. */
	bool (*wants)(const void *arg, const struct profile *p, const struct row *row);
	const void *arg;
};

/* @s: NULL is everything. */
bool scope__has(const struct scope *s, const struct profile *p, const struct row *row);

#endif
