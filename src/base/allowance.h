/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/allowance.h - how much of a run may go into reading what strangers have written.
 *
 * Whoever runs a program decides what its files are like: gigabytes to be summed up, a million
 * symbols that all need a look at their names, tables made of holes that cost their owner nothing.
 * Each is bounded where it is read, but there may be as many as a stranger likes. So all that is
 * read of files that are neither root's nor our own user's, or that everybody may write to, comes
 * out of one allowance, of bytes and of time. When it is used up such files are read no further;
 * code in them is named by its address, and the run says so.
 *
 * In long runs it grows again, by a hundredth of the time that passes.
 *
 *	struct allowance *a = foreign ? run->allowance : NULL;	// NULL: without a bound
 *
 *	allowance__begin(a);
 *	while (more && allowance__spend(a, len))
 *		read(len);
 *	allowance__end(a);
 *
 * Not for several threads at once.
 */
#ifndef PMUTRACE_BASE_ALLOWANCE_H
#define PMUTRACE_BASE_ALLOWANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/array.h"

#define ALLOWANCE_BYTES (256ull << 20)
#define ALLOWANCE_NS	2000000000ull

struct allowance {
	uint64_t max_bytes, max_ns;
	uint64_t bytes, ns;    /* left */
	uint64_t seen_ns;      /* when time was last taken or given */
	unsigned depth;	       /* begins without an end so far */
	bool refused;	       /* since the outermost begin */
	uint64_t nr_files_cut; /* rounds from begin to end in which anything was refused */
};

/* Full. 0: ALLOWANCE_BYTES, ALLOWANCE_NS. */
void allowance__init(struct allowance *a, uint64_t bytes, uint64_t ns);

/* Is it a stranger's: neither root's nor our own user's, or writable by everybody? */
bool allowance__is_for(const struct stat *st);

/* Around the reading of one file: the time between is taken. May be nested. NULL: does nothing. */
void allowance__begin(struct allowance *a);
void allowance__end(struct allowance *a);

/* As allowance__end(), but not counted in nr_files_cut: the file will be read on later. */
void allowance__pause(struct allowance *a);

/*
 * Call before @bytes are read, and now and then in long computations (0 bytes). False: too little
 * is left, go on as if the file ended here. NULL: always true.
 */
bool allowance__spend(struct allowance *a, uint64_t bytes) must_check;

/* Has anything been refused since the outermost begin? What was made of the file is incomplete. */
bool allowance__has_refused(const struct allowance *a);

#endif
