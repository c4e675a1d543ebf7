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
	unsigned depth;	       /* of begin and end */
	bool refused;	       /* since the outermost begin */
	uint64_t nr_files_cut; /* rounds from begin to end in which anything was refused */
};

/* Full. 0: ALLOWANCE_BYTES, ALLOWANCE_NS. */
void allowance__init(struct allowance *a, uint64_t bytes, uint64_t ns);

/* Is it a file that an allowance is for: of another user than root and ourselves, or everybody's?
 */
bool allowance__is_for(const struct stat *st);

/* Between them time passes: it is that of one file. May be nested. NULL: nothing happens. */
void allowance__begin(struct allowance *a);
void allowance__end(struct allowance *a);

/* The end of a part of something that is not counted as a file that was cut. */
void allowance__pause(struct allowance *a);

/*
 * Before @bytes are read, and now and then in long computations (0 bytes): false: they must not be,
 * and the file is as if it ended here. NULL: always true.
 */
bool allowance__spend(struct allowance *a, uint64_t bytes) must_check;

/* Has anything been refused since the outermost begin? What was made of the file is incomplete. */
bool allowance__has_refused(const struct allowance *a);

#endif
