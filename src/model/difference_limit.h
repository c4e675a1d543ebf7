/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/difference_limit.h - whether functions of side B are above those of side A by more than so
 * many percent of theirs, or whether nobody can tell.
 *
 * "Above" takes what is left open into account: B - (1 + limit) * A is more than half its interval
 * above 0. If it is as far below, the limit is held; between the two nobody can tell. Of one
 * function its interval is its own, and narrower than among hundreds.
 */
#ifndef PMUTRACE_MODEL_DIFFERENCE_LIMIT_H
#define PMUTRACE_MODEL_DIFFERENCE_LIMIT_H

#include <stddef.h>

#include "base/array.h"
#include "model/difference.h"

/*
 * Of A or B: functions below it are left out where there is no name. They are never above without
 * being told, but nearly always undecided.
 */
#define DIFFERENCE_LIMIT_SHARE 0.01

struct difference_limit_opts {
	double limit;	      /* 0.05: 5 percent */
	const char *function; /* callers__is_named(); NULL: all */
};

struct difference_limit {
	size_t nr_above;     /* functions that are */
	size_t nr_undecided; /* of a share that counts, or of the name */
	size_t nr_looked_at; /* the same, all of them */
	/* The farthest above, or else the one that takes the longest to decide; NULL: none. */
	const struct difference_row *row;
	double critical; /* standard errors in half of an interval */
	/* Of that row, undecided: by how much it had to grow to be found, 0.1: 10 percent. */
	double visible;
	/*
	 * And how many times as much of both sides it takes to find a growth by the limit's double
	 * (nearly always, 5 of 6 times). NaN: not known.
	 */
	double times;
};

/* 0; -ENOENT: no function is called so; -ENOMEM. */
int difference_limit__check(struct difference_limit *l, struct difference *d,
			    const struct difference_limit_opts *o) must_check;

#endif
