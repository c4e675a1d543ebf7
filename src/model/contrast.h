/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/contrast.h - by how much many rates differ between two measurements, and how sure that is.
 *
 * A rate is a sum over all units of a measurement by the sum of their exposures (model/units.h): a
 * share of samples, or a number per second. Its variance is taken from how units differ among
 * themselves, and is never below that of counting alone, which is that of independent samples.
 *
 * All differences are looked at together. With hundreds of them the largest of those that are
 * nothing but noise is large, so an interval is as wide as it takes that with the probability of
 * CONTRAST_CONFIDENCE not one of all the intervals misses its true value: max |t|, the largest of
 * all differences by their standard errors, has its distribution from a wild bootstrap, in which
 * each unit's deviations, of all sums together, get random signs. So what goes up and down together
 * is not counted twice, few units give wide intervals by themselves, and so do units with bursts.
 *
 * It is the same for the same input: the signs come from a generator with a fixed seed.
 *
 * Does not know: what is not seen in the units. Units of one run do not tell how runs differ.
 */
#ifndef PMUTRACE_MODEL_CONTRAST_H
#define PMUTRACE_MODEL_CONTRAST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "model/units.h"

enum {
	CONTRAST_UNITS_LEAST = 4, /* of each side, for a variance that is worth its name */
	CONTRAST_ROUNDS = 2000,	  /* of the bootstrap; fewer of very many sums */
};

#define CONTRAST_CONFIDENCE 0.99

struct contrast_opts {
	bool is_share;	 /* a rate is 0..1: the exposure is what sums are parts of */
	bool no_units;	 /* they tell no variance, however many there are: has_units is false */
	double grain[2]; /* what one sample adds to the sums of a side: 1, or its mean weight */
	const bool *is_tested; /* [sum]: it is one of those looked at; NULL: all are */
};

struct contrast_rate {
	double rate[2];	    /* of both sides */
	double variance[2]; /* of these */
	/* Its units resemble their neighbours, and are too few to be joined. */
	bool is_dependent;
};

struct contrast {
	struct contrast_rate *rates; /* [sum] */
	size_t nr, nr_tested;
	bool has_units;	   /* variances are those of units; else of counting alone */
	bool is_dependent; /* one of the rates is */
	/* Standard errors in half of an interval. */
	double critical;
};

/*
 * Both have the same sums; units are joined where they are dependent. 0 or -ENOMEM; it is for
 * contrast__free() in any case.
 */
int contrast__new(struct contrast *c, struct units sides[2],
		  const struct contrast_opts *o) must_check;
void contrast__free(struct contrast *c);

/* The standard error of rate[1] - @factor * rate[0]. */
double contrast_rate__error(const struct contrast_rate *r, double factor);

#endif
