/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/returns.h - chooses how to probe the returns of a program's functions without harm to the
 * program.
 *
 * The kernel's return probes are the cheaper way, and break programs that look at their own stacks
 * (elf/hazards.h). The other way touches no stack: probes on the instructions at which a function
 * is left (elf/exits.h), which x86-64 steps through, at some 12 us a call.
 * Unless asked for one of them, functions that may be harmed are decoded; those that call nothing
 * cannot be, for nobody looks at the stack while they run.
 */
#ifndef PMUTRACE_PLAN_RETURNS_H
#define PMUTRACE_PLAN_RETURNS_H

#include <stdbool.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/advice.h"
#include "event/event.h"
#include "plan/goroutines.h"
#include "plan/skipped.h"
#include "probe/func.h"

enum returns_way {
	RETURNS_SAFE, /* return probes where these are harmless, else decoded exits */
	RETURNS_TRAP, /* return probes */
	RETURNS_DECODE,
};

struct returns_opts {
	enum returns_way way;
	bool force; /* return probes may harm */
	/*
	 * However many calls are in each other: each has a place of its own in the session.
	 * Decoded: the kernel sees 64 returns in each other, no more.
	 */
	bool any_depth;
	bool goroutines; /* what they use is wanted: they are to be followed to their threads */
};

/* "trap", "decode"; NULL: RETURNS_SAFE. 0; -EINVAL with @why. */
int returns__parse(enum returns_way *out, const char *word, struct buf *why) must_check;

/* Zero-initialise it; returns__free() when no session borrows it any more. */
struct returns {
	struct perf_events events; /* probes on instructions */
	struct func_exit *exits;
	size_t nr_exits, cap_exits;
	size_t nr_decoded;	      /* functions */
	unsigned hazards;	      /* of files that they are in: enum hazard */
	bool is_forced;		      /* some return probes may harm the program */
	enum func_place place;	      /* of all functions */
	struct goroutines goroutines; /* of Go, if these are followed */
};

/**
 * returns__plan() - choose a way for each function
 * @env: as the functions were parsed with
 * @functions: their exits are set; those that cannot be measured and are optional are taken out;
 *	their order changes
 * @skipped: gets these
 *
 * Return: 0; -EINVAL: a function cannot be measured without harm; -ENOMEM; another -errno. @why.
 */
int returns__plan(struct returns *r, const struct returns_opts *opts,
		  const struct perf_event_env *env, struct func_probe *functions, size_t *nr,
		  struct skipped *skipped, struct buf *why) must_check;
void returns__free(struct returns *r);

enum { RETURNS_CHARS = 256 };

/* How the returns of decoded functions are seen and why, and what that costs; for a notice. */
void returns__describe(const struct returns *r, size_t nr_functions, char text[RETURNS_CHARS]);

/* What return probes may do to the program where that was forced; NULL: nothing. */
const char *returns__harm(const struct returns *r);

/**
 * returns__check() - may the kernel's return probes be used for these events?
 * @env: as they were parsed with
 *
 * Others than return probes of programs always may. Return: 0; -EINVAL: one of them could harm the
 * program: @why has how, and how to use them all the same; another -errno.
 */
int returns__check(const struct perf_events *events, const struct perf_event_env *env,
		   struct buf *why) must_check;

#endif
