/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/profiler.h - profiles for who asks the exporter for one: a process beside it, which starts
 * `pmutrace profile`.
 *
 *	exporter ----wish----> profiler ---exec---> pmutrace profile
 *	         <---answer---
 *
 * Whoever reads what strangers send has hardly any privileges, and sampling takes many. So the
 * profiler is forked before they are dropped, and keeps them. It reads nothing of a stranger's but
 * a wish, which is checked on both sides. One profile at a time. When the exporter ends, in
 * whatever way, both do.
 */
#ifndef PMUTRACE_SERVE_PROFILER_H
#define PMUTRACE_SERVE_PROFILER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

enum {
	PROFILE_EVENT = 48,
	PROFILE_SECONDS = 30, /* without a wish; net/http/pprof of Go has the same */
	PROFILE_SECONDS_MAX = 600,
	PROFILE_HZ = 99,
	PROFILE_HZ_MAX = 1000,
};

struct profile_wish {
	uint32_t seconds, hz;
	uint32_t pid;		   /* 0: the whole machine */
	char event[PROFILE_EVENT]; /* by name, with modifiers; "": cycles, else cpu-clock */
};

/* An answer: a profile of pprof, packed, or why there is none. */
struct profile_answer {
	int status; /* exit status of the command; 0: there is a profile */
	struct buf profile, why;
};

struct profiler;

/* Within those limits, and of an event's name alone. */
bool profile_wish__is_good(const struct profile_wish *wish);

/*
 * What a request says; NULL: nothing of it. 0; -EINVAL with @why. Events are those with a name:
 * nobody from outside places probes.
 */
int profile_wish__parse(struct profile_wish *out, const char *seconds, const char *rate,
			const char *event, const char *pid, struct buf *why) must_check;

/* Starts the process. To be called with one thread. 0 or -errno. */
int profiler__open(struct profiler **out) must_check;
void profiler__close(struct profiler *p);

/* 0; -EBUSY: it is at another one; another -errno. */
int profiler__ask(struct profiler *p, const struct profile_wish *wish) must_check;

/* Readable (poll) when there is an answer, or it has ended. */
int profiler__fd(const struct profiler *p);

/*
 * 0: @out, whose buffers are the caller's; -EAGAIN: not yet; -EPIPE: it has ended. A profile that
 * takes a minute longer than it should is ended: status 1, and why.
 */
int profiler__take(struct profiler *p, struct profile_answer *out) must_check;

#endif
