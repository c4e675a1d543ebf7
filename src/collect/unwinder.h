/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/unwinder.h - keeps programs supplied with the rules by which stacks are unwound: which
 * processes they ask for, what is mapped there, and the tables of these files.
 *
 * Nothing is done for a process before one of its stacks is wanted, or is likely to be. From then
 * on its mappings follow what sym/procs.h hears of it. A file's table (src/unwind/) is built once,
 * whichever processes map it, on a thread of its own; stacks that come before are copied, some of
 * them, and unwound here.
 */
#ifndef PMUTRACE_COLLECT_UNWINDER_H
#define PMUTRACE_COLLECT_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "collect/verifier.h"
#include "jail/jail.h"
#include "object/rows.h"
#include "object/unwind_maps.h"
#include "sym/namer.h"
#include "sym/procs.h"

struct unwinder;

struct unwinder_stats {
	size_t nr_processes;	 /* whose mappings programs have */
	size_t nr_tables;	 /* that programs have: files that are the same share one */
	uint64_t nr_rows, bytes; /* of these */
	uint64_t nr_shared;	 /* that were there already, of another file */
	uint64_t nr_evicted;	 /* out of use, they made room for others */
	uint64_t nr_refused;	 /* files whose table there was no room for, at least once */
	uint64_t nr_crowded;	 /* how often there was no room for a process's mappings */
	uint64_t nr_copies;	 /* samples that were unwound here */
	uint64_t build_ns;	 /* CPU time of the thread */
};

/*
 * All is borrowed until close. @jail: see collect/table_job.h. @verifier: gets files, and copies of
 * stacks; NULL: there is none. 0 or -errno.
 */
int unwinder__open(struct unwinder **out, struct unwind_maps *maps, struct procs *procs,
		   struct namer *namer, struct jail *jail, struct verifier *verifier,
		   size_t max_frames) must_check;
void unwinder__close(struct unwinder *u);

/* A process whose stacks are going to be wanted: before the first one asks. 0 or -ENOMEM. */
int unwinder__expect(struct unwinder *u, uint32_t pid) must_check;

/* The same of a process that has begun a program, if it is a target. */
int unwinder__began(struct unwinder *u, uint32_t pid) must_check;

/*
 * Looks for what is asked for, what has changed and what has been built. Copies of stacks of new
 * processes are unwound when the tables of their files are there, or have been waited for long
 * enough; @last: now. They are given to @reader as rows. 0 or -errno.
 */
int unwinder__poll(struct unwinder *u, uint64_t now_ns, bool last,
		   const struct rows_reader *reader) must_check;

/*
 * When the next poll is due: soon while something is awaited. Until then stacks of processes that
 * are new are unwound by frame pointer.
 */
unsigned unwinder__patience_ms(const struct unwinder *u);

/* Was something awaited at the last poll: mappings, tables? Other work may wait until it is there.
 */
bool unwinder__waits(const struct unwinder *u);

/* Since when processes have to be remembered for copies that wait; UINT64_MAX: none does. */
uint64_t unwinder__since_ns(const struct unwinder *u);

/* Readable when a table has been built. */
int unwinder__fd(const struct unwinder *u);

/* At the end: what there was no room for. */
void unwinder__tell(const struct unwinder *u);

void unwinder__stats(const struct unwinder *u, struct unwinder_stats *out);

#endif
