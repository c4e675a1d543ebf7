/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import/folded.h - folded stacks -> model/profile.h.
 *
 * A line is a stack, outermost frame first, then a blank and how often it was seen:
 *
 *	python3;main;read_file;vfs_read_[k] 12
 *
 * Behind a line that tells several events (model/folded_head.h) stacks have a count of each; else
 * all are of one, "samples".
 *
 * The format is flamegraph.pl's, and what print/folded.h writes. Endings of names say where code
 * is from: "_[k]" the kernel, "_[j]" made at run time, "_[i]" inlined. Such files do not tell what
 * was lost when they were made: losses are untold.
 */
#ifndef PMUTRACE_IMPORT_FOLDED_H
#define PMUTRACE_IMPORT_FOLDED_H

#include <stdint.h>

#include "base/array.h"

struct profile;
struct source;

struct folded_opts {
	const char *comm;   /* of all stacks; NULL: each begins with its own */
	uint64_t max_bytes; /* profile__bytes(): what is new beyond is lost */
};

/* What is to be told of a file. */
struct folded_found {
	uint64_t nr_stacks;	    /* lines that are one */
	uint64_t nr_bad, first_bad; /* lines that are none, and which one is the first, from 1 */
	uint64_t nr_rounded;	    /* counts with decimals */
	uint64_t nr_two;	    /* stacks that end in another number: two counts? */
};

/*
 * Adds the stacks of @s to @p: a new profile, or one that has such stacks alone. What has no room
 * is a loss, what is too deep a flaw. 0, or -errno of source__line() but for -EMSGSIZE; what was
 * read before is in @p and *found in any case.
 */
int import__folded(struct profile *p, struct source *s, const struct folded_opts *o,
		   struct folded_found *found) must_check;

#endif
