/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/goroutines.h - probes on the functions of Go's scheduler that put goroutines on threads and
 * take them off: what a goroutine uses is what its thread uses in between.
 *
 * Source: src/runtime/proc.go, the same since Go 1.18: execute(gp, ..) is the only way onto
 * a thread, but for coroswitch_m (1.23), which goes from one goroutine to another; schedule() is
 * what all others come to that have gone off.
 */
#ifndef PMUTRACE_PLAN_GOROUTINES_H
#define PMUTRACE_PLAN_GOROUTINES_H

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "probe/func.h"

/* Zero-initialise it; goroutines__free() when no session borrows it any more. */
struct goroutines {
	struct perf_events events; /* probes on these functions, of all files */
	struct func_switch *switches;
	size_t nr, cap;
};

/**
 * goroutines__add() - the scheduler of one more program, unless it is there
 * @env: to parse uprobes with; it has who reads the program
 *
 * Return: 0; -EINVAL: the file has no such functions, as its symbols were taken away; -ENOMEM;
 * another -errno. @why.
 */
int goroutines__add(struct goroutines *g, const char *path, const struct perf_event_env *env,
		    struct buf *why) must_check;

/* To be called when all have been added: sets pointers into `events`. */
void goroutines__finish(struct goroutines *g);
void goroutines__free(struct goroutines *g);

#endif
