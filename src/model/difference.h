/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/difference.h - what differs between the functions of two sides, "A" and "B", and what is
 * known of that.
 *
 * Each side is one run or several. A function of one side is that of the other by its name and its
 * file (model/unit_tally.h); by its name alone where each side has one of that name, in files that
 * are called differently.
 *
 * Rates are shares of all samples, or numbers per second. A difference is one, or nobody can tell:
 * model/contrast.h says how that is found out.
 */
#ifndef PMUTRACE_MODEL_DIFFERENCE_H
#define PMUTRACE_MODEL_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/contrast.h"
#include "model/unit_tally.h"

enum {
	/* Of a function on both sides together: with fewer no difference could be told from chance,
	 * and the others need not be looked at together with it. */
	DIFFERENCE_SAMPLES_LEAST = 10,
};

enum verdict {
	VERDICT_CHANGED,     /* it is there */
	VERDICT_UNSURE,	     /* more than chance if samples were independent, which is not known */
	VERDICT_CANNOT_TELL, /* its interval has 0 in it */
	VERDICT_TOO_FEW,     /* the same; there are not even samples for an interval */
};

struct difference_row {
	uint32_t function; /* of the names */
	uint32_t column;   /* in the units; UINT32_MAX: too few samples */
	uint64_t samples[2];
	struct contrast_rate r; /* variances are NaN if there are too few samples */
	enum verdict verdict;
};

struct difference_opts {
	enum tally_unit unit;
	bool total;    /* of functions and what they call */
	bool absolute; /* numbers per second; else shares */
};

/* Zero-initialise it, but for opts; difference__free() in any case. */
struct difference {
	struct difference_opts opts;
	struct tally_names names;
	struct unit_tally sides[2];
	struct units units[2];
	struct contrast contrast;
	struct difference_row *rows; /* changed ones first, the largest difference first */
	size_t nr;
	uint32_t *same;	 /* by function: the one that it is compared as; itself, or its namesake */
	bool of_weights; /* numbers are in the event's unit, not samples */
	bool per_run;	 /* no side tells how long it took: numbers are those of a run */
};

/* 0 or -ENOMEM. */
int difference__begin(struct difference *d) must_check;

/*
 * Adds a run to side 0 or 1: the samples of @event, an index. @scale: tally_opts. 0; -EINVAL: no
 * such event; -ENOMEM.
 */
int difference__add(struct difference *d, int side, const struct profile *p, uint32_t event,
		    double scale) must_check;

/* Compares. 0; -EPROTO with @why: a side has no samples, or there is no time; -ENOMEM. */
int difference__compare(struct difference *d, struct buf *why) must_check;

/* Of a side nothing but samples is known: their variance is not, however many runs there are. */
bool difference__of_samples(const struct difference *d);

/* Whether the variance of a row is known well enough to call a difference one. */
bool difference__is_sure(const struct difference *d, const struct difference_row *row);

/* What a single sample adds to numbers of a side. */
double difference__grain(const struct difference *d, int side);

void difference__free(struct difference *d);

#endif
