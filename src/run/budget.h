/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run/budget.h - how much less is to be measured, so that measuring costs no more than a share of a
 * CPU: --max-overhead. What is done about it is the caller's: steps, the first of which is taken
 * first, and taken back last.
 *
 * Time that was not used is saved, up to 30 s of it, so that what comes in bursts (symbols of a new
 * program) does no harm; time beyond the budget is made up for. A step is taken when nothing is
 * left and more is used than allowed; of rates, each of which halves the cost, several at once.
 * Another one follows when the last has had time to show what it does: at once where the programs
 * alone take too much, which follow in an instant, else after some seconds. One is taken back when
 * a third of what can be saved is there, and the cost that it would bring back, learnt when it was
 * taken, fits. If that was wrong the next try comes later, in the end every ten minutes: a budget
 * does not swing. But for the pause: measuring goes on when all is saved that can be, and stops
 * when that is used up.
 *
 * A calculation: the clock and the figures are the caller's.
 */
#ifndef PMUTRACE_RUN_BUDGET_H
#define PMUTRACE_RUN_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a step makes less of. */
enum budget_kind {
	BUDGET_RATE,   /* half of the samples, or intervals that are twice as long */
	BUDGET_KEYS,   /* what tells things apart: stacks, threads, series */
	BUDGET_EVENTS, /* an event, a probe */
	BUDGET_PAUSE,  /* all: the last step */
	BUDGET_KINDS,
};

/* "rate" */
const char *budget_kind__name(enum budget_kind kind);

enum { BUDGET_STEPS = 64 };

/* CPU time, ns, in all. */
struct budget_used {
	uint64_t programs_ns; /* of BPF programs */
	uint64_t user_ns;     /* of processes */
};

struct budget {
	double share; /* of one CPU: 0.01 is a percent */
	enum budget_kind steps[BUDGET_STEPS];
	size_t nr_steps;
	size_t level;		 /* steps that are taken: 0..nr_steps */
	double used;		 /* share of one CPU, lately, at this level */
	double was_used;	 /* when the level last changed */
	uint64_t nr_down, nr_up; /* steps taken, and taken back, so far */

	/* Private. */
	uint64_t looked_ns, changed_ns, tried_ns, wait_ns;
	struct budget_used used_then; /* at the last look */
	double credit_ns;	      /* saved; negative: to be made up for */
	double since_ns, spent_ns;    /* at this level */
	double programs_ns;	      /* the part of programs in that */
	double before[BUDGET_STEPS];  /* share before the step was taken; 0: taken with others */
	double factor[BUDGET_STEPS];  /* by which cost grows when it is taken back */
};

/* No step is taken yet, and there is none. */
void budget__init(struct budget *b, double share);

/* Another step behind those that there are; beyond BUDGET_STEPS a pause alone, as the last. */
void budget__add(struct budget *b, enum budget_kind kind);

/* Counts from now on; @used: so far, which is not counted. */
void budget__start(struct budget *b, uint64_t now_ns, struct budget_used used);

/* @used: as in start, up to now. To be called about once a second. Has the level changed? */
bool budget__look(struct budget *b, uint64_t now_ns, struct budget_used used);

/* How many steps of a kind are taken. */
size_t budget__taken(const struct budget *b, enum budget_kind kind);

#endif
