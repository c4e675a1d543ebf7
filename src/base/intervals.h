/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/intervals.h - when the intervals of a run are over: -I.
 *
 * The clock is the caller's. A run of a known length whose intervals divide it has no boundary at
 * its end: what comes behind would be as long as it takes to stop. A run that ends elsewhere, or
 * earlier, has a last interval that is shorter.
 */
#ifndef PMUTRACE_BASE_INTERVALS_H
#define PMUTRACE_BASE_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

struct intervals {
	uint64_t length_ns; /* 0: there are none */
	uint64_t next_ns;   /* the next boundary; UINT64_MAX: no other comes */
	uint64_t end_ns;    /* of the run; UINT64_MAX: not known */
};

/* @duration_ns: of the run; 0: not known. */
void intervals__begin(struct intervals *i, uint64_t length_ns, uint64_t duration_ns,
		      uint64_t now_ns);

/* A boundary is reached; then intervals__next(). */
bool intervals__due(const struct intervals *i, uint64_t now_ns);
void intervals__next(struct intervals *i);

/* Milliseconds until the next boundary, rounded up; at most @most_ms. */
unsigned intervals__patience_ms(const struct intervals *i, uint64_t now_ns, unsigned most_ms);

#endif
