/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/waiting.h - stacks whose names are not there yet, and what was counted of them meanwhile.
 *
 * Names are looked up on another thread (sym/namer.h), while tables are drained on this one. A
 * stack that has to wait is copied; its count, which comes with the drain, is kept beside it. When
 * it has its names both go where they would have gone at once. Nothing is dropped: what must not
 * wait any longer is named in a hurry, with addresses in the place of names.
 */
#ifndef PMUTRACE_COLLECT_WAITING_H
#define PMUTRACE_COLLECT_WAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/profile.h"
#include "probe/sample.h"

struct waiting;

struct waiting_count {
	struct row_key key; /* stack: not known yet */
	bool dropped;	    /* there is no room for its key */
	uint16_t flaws;
	uint64_t first_ns; /* of the stack */
	uint64_t samples, weight;
	const struct profile_value *values; /* as many as the table was made for; NULL: none */
	struct profile_exemplar exemplar;
};

struct waiting_fns {
	/* @hurry: -EAGAIN is no answer any more. 0, -EAGAIN, or another -errno. */
	int (*name)(void *arg, const struct sample_stack *s, bool hurry, uint32_t *handle);
	int (*add)(void *arg, uint32_t handle, const struct waiting_count *count);
	void *arg;
};

/* NULL when out of memory. */
struct waiting *waiting__new(size_t nr_values);
void waiting__free(struct waiting *w);

/* Copies a stack; *id: for waiting__count(), once. 0 or -ENOMEM. */
int waiting__put(struct waiting *w, const struct sample_stack *s, uint32_t *id) must_check;

/* Its count is there: goes to fns->add, now or when it is named. 0 or an error. */
int waiting__count(struct waiting *w, uint32_t id, const struct waiting_count *count,
		   const struct waiting_fns *fns) must_check;

/*
 * Tries to name what waits, the next ones first, for about @budget_ns; in a hurry what came before
 * @hurry_ns (CLOCK_MONOTONIC; UINT64_MAX: all). 1: not all of them were tried; 0; or an error.
 */
int waiting__name(struct waiting *w, uint64_t budget_ns, uint64_t hurry_ns,
		  const struct waiting_fns *fns) must_check;

/* Stacks without names, and the memory that all take. */
size_t waiting__nr(const struct waiting *w);
size_t waiting__bytes(const struct waiting *w);

/* When the oldest of them was sampled; UINT64_MAX: there is none. */
uint64_t waiting__since_ns(const struct waiting *w);

#endif
