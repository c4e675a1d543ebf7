/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/within.h - keeps track of which tasks are inside of a function, for another session that
 * samples or counts: its programs look at this one's map.
 *
 * Knows: bpf/within.bpf.c. Does not know: who uses the map.
 *
 * Tasks that are inside at the open are outside until they enter again. Of a program's function
 * that was left by longjmp(3) or an exception the task is inside until it enters again, returns
 * further out, or ends. Who moves between stacks (coroutines) is not followed there.
 */
#ifndef PMUTRACE_PROBE_WITHIN_H
#define PMUTRACE_PROBE_WITHIN_H

#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "machine/target.h"
#include "probe/func.h"

struct within;

enum { WITHIN_TASKS = 16384 }; /* inside at once */

struct within_opts {
	/* A function's entry and return, parsed for their sites; borrowed until close. */
	struct perf_event_spec *entry, *leave;
	/* If any, probed instead of the return: each of them always leaves the function. */
	const struct func_exit *exits;
	size_t nr_exits;
	const struct perf_event_env *env; /* for perf_event__make(); borrowed during open */
	const struct target *target;	  /* borrowed during open */
};

struct within_stats {
	uint64_t left;	  /* calls that ended without a return, as far as that was noticed */
	uint64_t dropped; /* entries that were not followed: more than WITHIN_TASKS */
	uint64_t missed;  /* entries and returns that the kernel did not show to the programs */
};

/* From now on tasks that enter are inside. @why: on error a sentence. 0 or -errno. */
int within__open(struct within **out, const struct within_opts *opts, struct buf *why) must_check;

/* Sessions that use the map are closed before. */
void within__close(struct within *w);

/* For sampler_opts.within_fd and count_opts.within_fd; the session's. */
int within__fd(const struct within *w);

void within__stats(const struct within *w, struct within_stats *out);

#endif
