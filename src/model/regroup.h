/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/regroup.h - rows of a profile told apart by less than they were.
 *
 * A row of the result is the sum of those that have what is kept of their keys in common; events,
 * times, windows and losses stay what they are. The first level of stacks is the command, as in
 * every profile: without BY_COMM all have one that is called "[any]", as in a run that did not ask
 * for commands. Without stacks it is the only level.
 */
#ifndef PMUTRACE_MODEL_REGROUP_H
#define PMUTRACE_MODEL_REGROUP_H

#include <stdbool.h>

#include "base/array.h"

struct profile;

struct regroup_opts {
	unsigned by; /* enum by: parts that the profile's rows have */
	/*
	 * A field "function": the name of the innermost frame, whatever file it is of; "-" where
	 * there is none below the command. Then frames have no places.
	 */
	bool by_function;
};

/* The result is the caller's: profile__free(). 0; -EINVAL: @p has fields or metrics; -ENOMEM. */
int regroup__new(struct profile **out, const struct profile *p,
		 const struct regroup_opts *o) must_check;

#endif
