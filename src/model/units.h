/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/units.h - what was counted in each of the pieces that a measurement consists of.
 *
 * The samples of one run are not independent of each other: what a program does, it does for a
 * while. How far a number would differ if it were measured again is seen from how it differs from
 * piece to piece: from run to run, from one stretch of time to another, from thread to thread.
 * Pieces that follow each other in time resemble their neighbours, too; joined, they do so less.
 *
 * Pure data. Does not know: functions, what is counted, what comes of it (model/contrast.h).
 */
#ifndef PMUTRACE_MODEL_UNITS_H
#define PMUTRACE_MODEL_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

enum {
	UNITS_AT_MOST = 64,	/* stretches of time that a measurement is divided into at first */
	UNITS_JOINED_LEAST = 6, /* joining leaves so many at least */
	UNITS_ALTERNATING_LEAST = 16, /* and so many where that only makes intervals narrower */
};

struct units {
	size_t nr;	  /* pieces */
	size_t nr_sums;	  /* things that are counted in each */
	double *exposure; /* [unit] what counts are related to: all samples of it, or its seconds */
	float *sums;	  /* [unit * nr_sums + i] */
	uint32_t *run;	  /* [unit] those of one run are neighbours */
	bool in_time;	  /* they follow each other in time, run by run */
};

/* Zeros. 0 or -ENOMEM, then units__free() is to be called all the same. */
int units__new(struct units *u, size_t nr, size_t nr_sums) must_check;
void units__free(struct units *u);

/* Sum @i, and the exposure, over all units. */
double units__sum(const struct units *u, size_t i);
double units__exposure(const struct units *u);

/*
 * How much of sum @i, beyond its share of the exposure, is in a unit and in the next one of its run
 * alike: -1..1, 0 where there is nothing to compare. For units in time.
 */
double units__autocorrelation(const struct units *u, size_t i);

/*
 * Whether neighbours still resemble each other more than chance explains, in any of the @nr sums
 * that are largest, or in them on the whole.
 */
bool units__are_dependent(const struct units *u, size_t nr);

/*
 * Joins neighbours, two by two, as long as they are dependent, or the opposite of each other, and
 * there are enough of them.
 */
void units__join_dependent(struct units *u, size_t nr);

#endif
