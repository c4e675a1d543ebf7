/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/report_files.h - files of every kind that report can read -> a profile.
 *
 * What kind a file is of is seen from what it begins with, not from its name.
 */
#ifndef PMUTRACE_CMD_REPORT_FILES_H
#define PMUTRACE_CMD_REPORT_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

struct buf;
struct profile;
struct source;

struct report_files_opts {
	bool no_comm;	    /* folded stacks begin with a function */
	uint64_t max_bytes; /* profile__bytes() */
	bool tells;	    /* on the terminal how far it is: cmd/read_progress.h */
	bool places;	    /* where code is, of captures: model/code_place.h */
	/* --from, --to: since the begin of each file; 0, 0: all. */
	uint64_t from_ns, to_ns;
};

/*
 * Adds what @s has to @p, and tells what was found in notices. *lost: set if not all of it could be
 * read. 0; -errno with @why: nothing in it could be; -ENOMEM.
 */
int report_files__read(struct profile *p, struct source *s, const struct report_files_opts *o,
		       bool *lost, struct buf *why) must_check;

#endif
