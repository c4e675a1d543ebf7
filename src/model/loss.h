/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/loss.h - what was lost, by reason.
 *
 * Whoever measures fills one of these tables; every output ends with it.
 *   seen = kept + sum of the losses
 * A flaw is something less than a loss: the sample is kept, a part of it is not.
 * Flaws do not enter that sum.
 */
#ifndef PMUTRACE_MODEL_LOSS_H
#define PMUTRACE_MODEL_LOSS_H

#include <stdbool.h>
#include <stdint.h>

enum { LOSSES_MAX = 16 };

struct loss {
	const char *name; /* JSON key, snake_case; borrowed, a literal */
	const char *text; /* for people, reads after a number: "stacks cut at --max-stack" */
	const char *cure; /* which option or setting would have prevented it, or NULL */
	bool flaw;	  /* the sample was kept */
	uint64_t n;	  /* samples */
};

struct losses {
	uint64_t seen; /* samples that passed the filters */
	uint64_t kept; /* samples that reached the rows */
	bool untold;   /* whoever measured did not tell: what was lost before is not known */
	unsigned nr;
	struct loss by[LOSSES_MAX];
};

/* Samples lost, all reasons (flaws left out). */
uint64_t losses__sum(const struct losses *l);

/*
 * Adds @loss.n to the reason of the same name, or appends the reason; when there is no
 * room, the last one becomes "other" and takes it too.
 */
void losses__add(struct losses *l, const struct loss *loss);

/* Leaves in @l what was seen and lost since it was as @before, reasons in their order. */
void losses__subtract(struct losses *l, const struct losses *before);

#endif
