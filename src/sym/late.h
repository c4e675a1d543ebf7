/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/late.h - addresses of code made at run time whose names may be written after they were
 * sampled, and the names that came.
 *
 * Programs write perf maps and jitdumps through buffers, at their end, or when they are asked to.
 * An address without a name gets a number, which stands for it (struct sym_frame.late) until all
 * files have been read once more: when its process has ended, or at the end of the run.
 *
 * Knows: which addresses of a process's life (sym/procs.h) wait, and names by number.
 * Does not know: files; who asks for the names (sym/namer.h).
 */
#ifndef PMUTRACE_SYM_LATE_H
#define PMUTRACE_SYM_LATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/idmap.h"

/* late_addr.frame. */
#define LATE_NO_FRAME UINT32_MAX

struct late_addr {
	uint64_t at;
	uint32_t number; /* from 1 on, of all lives */
	uint32_t frame;	 /* of the namer; LATE_NO_FRAME: none yet */
	uint32_t name;	 /* the finder's: in its answer; 0: none */
};

/* Of one life. Zero-initialise it. */
struct late_life {
	struct late_addr *addrs;
	size_t nr, cap;
	struct idmap by_addr;
};

void late_life__free(struct late_life *life);

struct late;

/* @max: addresses that may be numbered. NULL when out of memory. */
struct late *late__new(size_t max);
void late__free(struct late *l);

/* What there is of an address; NULL: it has no number. Until the next late__add() of this life. */
struct late_addr *late_life__find(const struct late_life *life, uint64_t at);

/* Numbers one that has none. 0; -ENOSPC: there are too many; -ENOMEM. */
int late__add(struct late *l, struct late_life *life, uint64_t at,
	      struct late_addr **out) must_check;

/* Its name has come; copied. One for which there is no room stays without. 0 or -ENOMEM. */
int late__name(struct late *l, uint32_t number, const char *name) must_check;

/* NULL: none has come. */
const char *late__get(const struct late *l, uint32_t number);

/* Addresses that got no number, each time that they came. */
uint64_t late__nr_refused(const struct late *l);

#endif
