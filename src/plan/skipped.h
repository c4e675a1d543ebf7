/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/skipped.h - functions that match a pattern and cannot be probed, to be told.
 */
#ifndef PMUTRACE_PLAN_SKIPPED_H
#define PMUTRACE_PLAN_SKIPPED_H

#include <stddef.h>

#include "base/array.h"
#include "event/event.h"

struct skipped_function {
	char *name, *why;
};

/* Zero-initialise it; skipped__free() gives the memory back. */
struct skipped {
	struct skipped_function *items;
	size_t nr, cap;
};

/* 0 or -ENOMEM. */
int skipped__add(struct skipped *s, const char *name, const char *why) must_check;

/* For perf_event_env.skipped, with @skipped as its argument. */
int skipped__of_pattern(const struct perf_function *f, void *skipped);

/* Some by name in a notice, all of them with -v. */
void skipped__tell(const struct skipped *s);
void skipped__free(struct skipped *s);

#endif
