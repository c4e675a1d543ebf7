/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/exemplars.h - for a number that is added up, or a bucket of a histogram, one hit that is in
 * it: who, when, how much. Of each the latest is kept.
 *
 * A scraper keeps each that it has not seen, and drops what it has: so the latest is shown to all
 * scrapers, in each answer, until it is EXEMPLAR_SHOWN_S old. What is older than that tells of
 * processes that may be gone, and whoever asks so rarely makes no use of it.
 */
#ifndef PMUTRACE_SERVE_EXEMPLARS_H
#define PMUTRACE_SERVE_EXEMPLARS_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

enum {
	EXEMPLAR_SHOWN_S = 300,
	EXEMPLAR_COMM_BYTES = 48, /* 15 characters of UTF-8, and the end */
};

struct exemplar {
	uint32_t at; /* of which number: the owner's own */
	uint32_t pid, tid;
	char comm[EXEMPLAR_COMM_BYTES];
	uint64_t time_ns; /* since 1970 */
	double value;
};

/* Zero-initialise it; exemplars__free(). */
struct exemplars {
	struct exemplar *items; /* one of each number that has any */
	size_t nr, cap;
};

/* Copies it, unless a later one is there. Without memory there is none: it is no number. */
void exemplars__take(struct exemplars *to, const struct exemplar *e);

/* Of a number, not before @since_ns (since 1970); NULL: there is none. Until one is taken. */
const struct exemplar *exemplars__find(const struct exemplars *x, uint32_t at, uint64_t since_ns);

void exemplars__free(struct exemplars *x);

#endif
