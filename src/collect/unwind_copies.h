/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/unwind_copies.h - stacks that programs have copied (struct unwind_copy): of processes
 * whose mappings or tables were not there yet, to be unwound when they are; with a verifier also
 * those that programs have unwound, to be held against its reference.
 *
 * They are fetched at once, so that there is room for the next ones. A copy then waits until what
 * its process did up to then has been heard of, and its tables are there: three seconds at most,
 * and no longer when all that wait take 64 MB. Then it is a row like those of the tables.
 */
#ifndef PMUTRACE_COLLECT_UNWIND_COPIES_H
#define PMUTRACE_COLLECT_UNWIND_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "collect/copied_pages.h"
#include "collect/verifier.h"
#include "object/rows.h"
#include "object/unwind_maps.h"
#include "sym/procs.h"

/* Mappings of a process at the time that it is asked about, for programs and for walk(). */
struct copied_space {
	const struct unwind_mapping *mappings; /* borrowed until the next question */
	uint32_t nr;
	bool complete; /* nothing of it is awaited */
};

typedef int copied_space_fn(void *arg, const struct proc *proc, struct copied_space *out);

struct unwind_copies {
	struct unwind_maps *maps;
	struct procs *procs;
	struct verifier *verifier; /* NULL: there is none */
	size_t max_frames;
	copied_space_fn *space; /* 0 or -errno */
	void *arg;
	struct waiting_copy **waiting; /* in the order in which they were fetched */
	size_t nr_waiting, cap_waiting;
	size_t waiting_bytes; /* without their pages */
	struct copied_pages pages;
	uint32_t *next;			    /* by place: the copy that is written next */
	struct reference_mapping *verified; /* scratch */
	size_t cap_verified;
	uint64_t seed;
};

/* What is set by the caller: maps, procs, verifier, max_frames, space, arg; all borrowed. */
int unwind_copies__init(struct unwind_copies *x, const struct unwind_copies *of) must_check;
void unwind_copies__end(struct unwind_copies *x);

/*
 * Fetches what has been copied, and gives what is due to @reader as rows; @last: all. *waits: true
 * if others wait for something that may come soon; else left alone. 0 or -errno.
 */
int unwind_copies__take(struct unwind_copies *x, uint64_t now_ns, bool last,
			const struct rows_reader *reader, bool *waits) must_check;

/* Since when processes have to be remembered for those that wait; UINT64_MAX: none does. */
uint64_t unwind_copies__since_ns(const struct unwind_copies *x);

#endif
