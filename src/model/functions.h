/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/functions.h - the functions of a profile by samples, for one event.
 *
 * self:  samples taken in the function itself
 * total: samples taken in it or in what it called. A stack counts once, however often
 *        a recursive function is on it, so no total exceeds the event's samples.
 *
 * Every frame with samples is listed, commands and notes too (frame.kind tells), so
 * the selfs add up to the event's samples in the scope.
 */
#ifndef PMUTRACE_MODEL_FUNCTIONS_H
#define PMUTRACE_MODEL_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct profile;
struct scope;

struct function {
	uint32_t frame;	      /* id in the profile */
	uint64_t self, total; /* samples */
	uint64_t self_weight, total_weight;
};

struct functions {
	struct function *by; /* most self first, then most total, then by name */
	size_t nr;
	uint64_t samples; /* of the event, in the scope */
};

/*
 * @out is for functions__free(), NULL on error. @scope: NULL is everything. 0, -EINVAL (no such
 * event), -ENOMEM.
 */
int functions__new(struct functions **out, const struct profile *p, uint32_t event,
		   const struct scope *scope) must_check;
void functions__free(struct functions *f);

#endif
