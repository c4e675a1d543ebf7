/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/read_progress.h - a line on a terminal about a file that takes long to read.
 *
 *	reading x.folded: 45 % of 1200.0 MB
 *
 * It is there from half a second on, and gone at the end of the file.
 */
#ifndef PMUTRACE_CMD_READ_PROGRESS_H
#define PMUTRACE_CMD_READ_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct source;

struct read_progress {
	const char *name;
	uint64_t begin_ns, told_ns;
	bool shown;
};

/* Until the source is closed: both have to stay where they are. */
void read_progress__begin(struct read_progress *p, struct source *s);

/* Of a file that was not read to its end. */
void read_progress__end(struct read_progress *p);

#endif
