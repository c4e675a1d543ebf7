/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object/rows.h - what tables hand out, and sessions with them: keys with their stacks, and counts.
 */
#ifndef PMUTRACE_OBJECT_ROWS_H
#define PMUTRACE_OBJECT_ROWS_H

#include <stdint.h>

#include "sample.wire.h"

/* A row's key. */
struct sample_stack {
	const struct sample_key *key;
	const uint64_t *fields; /* words that a session of probe/count.h asked for */
	const uint64_t *kernel; /* innermost first; key->stack.nr_kernel of them */
	const uint64_t *user;	/* innermost first; key->stack.nr_user of them */
	uint32_t cpu;
	uint32_t check;	   /* 32 more bits of hash */
	uint64_t hash;	   /* of key and frames: the same all through a session */
	uint64_t first_ns; /* CLOCK_MONOTONIC */
	/* With counts, of sessions that keep them: one of the hits; else NULL. */
	const struct table_exemplar *exemplar;
};

/* Takes rows. The first error of a function ends a poll or flush, which returns it. */
struct rows_reader {
	/* Before a drain: programs have stopped writing, and all stacks will be shown. */
	int (*closed)(void *arg);
	/* A stack not shown since the last drain; *handle comes back with its counts. */
	int (*stack)(void *arg, const struct sample_stack *s, uint32_t *handle);
	/* @values: of sessions that have some; else NULL. */
	int (*count)(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t samples,
		     uint64_t weight, const struct table_value *values);
	void *arg;
};

#endif
