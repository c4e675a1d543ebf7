/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run/overhead.h - what measuring costs, and --max-overhead: a budget that is kept (run/budget.h).
 *
 *	CPU time of BPF programs, which they measure themselves, by the caller
 *	+ CPU time of this process and of all that it has started (machine/kin.h)
 *	-> steps, for the caller to take; notices that tell each
 *
 * What was used before it begins, to load programs, is not counted, nor is that of processes in the
 * first 20 s: to get to know what runs takes seconds, once. Nor is what is no program's: interrupts
 * of timers, breakpoints of uprobes.
 */
#ifndef PMUTRACE_RUN_OVERHEAD_H
#define PMUTRACE_RUN_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/buf.h"
#include "run/budget.h"

struct overhead;

/* As it is told. Shares are of one CPU: 0.01 is a percent. */
struct overhead_figures {
	double limit, used;		     /* used: lately */
	uint64_t bpf_ns, user_ns, paused_ns; /* since it has begun */
	size_t steps[BUDGET_KINDS];	     /* that are taken now, by kind */
	uint64_t nr_down, nr_up;	     /* taken, and taken back, so far */
};

/*
 * --max-overhead: "1.5" or "1.5%" of one CPU, from 0.01 on; of several CPUs more than 100. 0;
 * -EINVAL with @why; -ENOMEM.
 */
int overhead__parse(const char *text, double *share, struct buf *why) must_check;

/* @without: a command whose time is not ours; 0: none. 0 or -ENOMEM. */
int overhead__new(struct overhead **out, double share, pid_t without) must_check;
void overhead__free(struct overhead *o);

/* Another step that the caller can take, behind those before. @nr: so many of the kind. */
void overhead__add(struct overhead *o, enum budget_kind kind, size_t nr);

/* All that was measured is measured again, and there are no steps: others come. */
void overhead__clear(struct overhead *o);

/* Counts from now on. @bpf_ns: CPU time of BPF programs so far. */
void overhead__begin(struct overhead *o, uint64_t bpf_ns);

/* Is it time for a look? About once a second. */
bool overhead__is_due(const struct overhead *o);

/* A look. @bpf_ns: up to now. Have steps been taken, or taken back? */
bool overhead__look(struct overhead *o, uint64_t bpf_ns);

/* How many steps of a kind are taken now. */
size_t overhead__taken(const struct overhead *o, enum budget_kind kind);
bool overhead__is_paused(const struct overhead *o);

/* Milliseconds until the next look is due. */
unsigned overhead__patience_ms(const struct overhead *o);

/*
 * After a look that has changed something: a notice. @now: what is measured from here on, as a
 * sentence: "24 samples a second instead of 99".
 */
void overhead__tell(const struct overhead *o, const char *now);

void overhead__figures(const struct overhead *o, struct overhead_figures *out);

/* At the end: what was used, and whether the budget was kept. */
void overhead__tell_end(const struct overhead *o);

#endif
