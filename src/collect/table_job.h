/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/table_job.h - builds unwind tables of files on a thread of its own (base/worker.h).
 *
 * The set of rules is the thread's: each answer has those that were not in the one before.
 */
#ifndef PMUTRACE_COLLECT_TABLE_JOB_H
#define PMUTRACE_COLLECT_TABLE_JOB_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/worker.h"
#include "unwind/table.h"

enum { CODE_SEGMENTS = 8 }; /* of a file; one or two are usual */

/* Executable bytes of a file: where they are in it, and their address in its own terms. */
struct code_segment {
	uint64_t offset, vaddr, bytes;
};

struct table_job {
	struct job job;
	uint32_t file; /* the caller's number */
	int fd;

	/* The answer. */
	struct unwind_table table;
	struct unwind_rule *rules; /* from number first_rule on */
	uint32_t first_rule, nr_rules;
	struct code_segment segments[CODE_SEGMENTS];
	unsigned nr_segments;
	int err; /* -E2BIG, -ENOSPC: too many rows, or rules; -ENOMEM */
};

enum { TABLE_OF_VDSO = -1 }; /* in the place of a descriptor */

/* @max_rows: of a file. 0 or -errno. */
int table_jobs__open(struct worker **out, size_t max_rows) must_check;

/* @fd is taken, also on error. 0 or -ENOMEM. */
int table_job__give(struct worker *w, uint32_t file, int fd) must_check;
void table_job__free(struct table_job *j);

#endif
