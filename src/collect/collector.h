/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/collector.h - a sampling session and named addresses become a profile.
 *
 * The only place where the way of the data is put together:
 *	probe/sample (stacks, counts) + sym/namer (names) -> model/profile
 */
#ifndef PMUTRACE_COLLECT_COLLECTOR_H
#define PMUTRACE_COLLECT_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "collect/runloop.h"
#include "collect/tracker.h"
#include "model/profile.h"
#include "probe/sample.h"

struct collector;

struct collector_opts {
	struct sampler_opts sampler; /* stacks, by_*: set from `by` */
	unsigned by;		     /* enum profile_by */
	bool demangle;
};

/* Everything is loaded and attached, and off. @why: on error a sentence. 0 or -errno. */
int collector__open(struct collector **out, const struct collector_opts *opts,
		    struct buf *why) must_check;
void collector__close(struct collector *c);

int collector__start(struct collector *c) must_check;

/* What a run loop does with it. */
struct runloop_work collector__work(struct collector *c);

/* Ends sampling and completes the profile (names, losses, times). Call once. */
int collector__finish(struct collector *c) must_check;

/* Complete after collector__finish(). Borrowed. */
const struct profile *collector__profile(const struct collector *c);

#endif
