/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/source_lines.h - lines of the source, one behind the other as bytes: of a function, then of
 * those inlined into it, the outermost first.
 *
 * What a reader in a jail has put there is looked at before it is used: source_lines__are().
 */
#ifndef PMUTRACE_SYM_SOURCE_LINES_H
#define PMUTRACE_SYM_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct buf;

struct source_line {
	const char *path; /* of the source file; "": not known. In what was put: without a NUL */
	size_t path_len;
	uint32_t line;	     /* 0: not known */
	uint32_t start_line; /* of the function; 0: not known */
};

/* 0 or -ENOMEM. */
int source_lines__put(struct buf *b, const struct source_line *l) must_check;

/* The next one, *left bytes from *bytes on, which move behind it. False: there is none. */
bool source_lines__take(const char **bytes, size_t *left, struct source_line *out);

/* Are these @nr of them, and nothing else? */
bool source_lines__are(const char *bytes, size_t len, size_t nr);

#endif
