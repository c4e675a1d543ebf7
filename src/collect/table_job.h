/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/table_job.h - builds unwind tables of files on a thread of its own (base/worker.h).
 *
 * The set of rules is the thread's: each answer has those that were not in the one before.
 *
 * Files are read in a jail (unwind/table_reader.h). One that its reader fails at has no table, and
 * a notice names it; another reader goes on with the next file. Of time that is lost in that way
 * there is so much: then no more tables are made.
 */
#ifndef PMUTRACE_COLLECT_TABLE_JOB_H
#define PMUTRACE_COLLECT_TABLE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/worker.h"
#include "jail/jail.h"
#include "unwind/table.h"

struct table_job {
	struct job job;
	uint32_t file; /* the caller's number */
	int fd;

	/* The answer. */
	struct unwind_table table;
	struct unwind_rule *rules; /* from number first_rule on */
	uint32_t first_rule, nr_rules;
	bool lacks_rules; /* there was no room for some: its rows say UNWIND_RULE_BAD */
	int err;	  /* -E2BIG: too many rows; -ENOTSUP: nobody reads it; -ENOMEM */
};

enum { TABLE_OF_VDSO = -1 }; /* in the place of a descriptor */

/*
 * @max_rows: of a file. @max_rules: of all. @jail: whose readers read the files; NULL: this thread
 * reads those that are root's or our own user's, and nobody reads the others. 0 or -errno.
 */
int table_jobs__open(struct worker **out, size_t max_rows, uint32_t max_rules,
		     struct jail *jail) must_check;

/* @fd is taken, also on error. 0 or -ENOMEM. */
int table_job__give(struct worker *w, uint32_t file, int fd) must_check;
void table_job__free(struct table_job *j);

#endif
