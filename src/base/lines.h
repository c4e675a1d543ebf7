/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/lines.h - the lines of a file, without ever holding all of it.
 *
 * For files of megabytes: one fixed buffer, no stdio. A line that does not fit in the buffer
 * is skipped.
 */
#ifndef PMUTRACE_BASE_LINES_H
#define PMUTRACE_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

enum { LINES_BUF_BYTES = 64 * 1024 };

/* Zero-initialise, set fd; nothing to free. */
struct lines {
	int fd; /* borrowed */
	bool at_end;
	bool skipping;	 /* the rest of a line that was too long */
	size_t pos, len; /* of what is in the buffer */
	uint64_t bytes;	 /* read so far */
	char buf[LINES_BUF_BYTES + 1];
};

/**
 * lines__next() - the next line, without its newline
 * @line: valid up to the next call; line[0] to line[len] may be written to
 *
 * Return: 1; 0 at the end; -errno.
 */
int lines__next(struct lines *l, char **line, size_t *len) must_check;

/* Reads a hex number at *@p, with or without 0x; false if there is none or it overflows. */
bool parse_hex(const char **p, const char *end, uint64_t *out);

#endif
