/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/report_names.h - names for code that had none where it was sampled: --resolve and its like.
 */
#ifndef PMUTRACE_CMD_REPORT_NAMES_H
#define PMUTRACE_CMD_REPORT_NAMES_H

#include <stdbool.h>

#include "base/array.h"

struct buf;
struct debuginfod;
struct jail;
struct profile;

struct report_names_opts {
	bool resolve, debuginfod, no_inline, no_demangle;
	const char *symfs;
};

/* Zero-initialise it. */
struct report_names {
	struct jail *jail;
	struct debuginfod *debuginfod; /* NULL: not asked for */
};

bool report_names__wanted(const struct report_names_opts *o);

/*
 * Starts what reads files and asks servers, before anything of a stranger's is read. 0 or -errno
 * with @why; report_names__close() in any case.
 */
int report_names__open(struct report_names *n, const struct report_names_opts *o,
		       struct buf *why) must_check;
void report_names__close(struct report_names *n);

/* Puts a profile with better names in the place of *p. 0 or -errno with @why. */
int report_names__give(const struct report_names *n, const struct report_names_opts *o,
		       struct profile **p, struct buf *why) must_check;

#endif
