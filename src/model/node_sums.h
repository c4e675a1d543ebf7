/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/node_sums.h - samples of each node of a profile's stacks, and of all nodes below it.
 */
#ifndef PMUTRACE_MODEL_NODE_SUMS_H
#define PMUTRACE_MODEL_NODE_SUMS_H

#include <stdint.h>

#include "base/array.h"

struct profile;
struct scope;

struct node_sums {
	uint64_t *samples; /* by node; that of the root: all of the event */
	uint64_t *weight;  /* the same of the event's unit; NULL: its samples weigh nothing */
};

/* Sums of @event (an index); @scope: NULL is everything. 0 or -ENOMEM. */
int node_sums__new(struct node_sums *s, const struct profile *p, uint32_t event,
		   const struct scope *scope) must_check;
void node_sums__free(struct node_sums *s);

#endif
