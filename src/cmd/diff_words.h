/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/diff_words.h - the words of diff: which files are of which side, --unit, --fail-above.
 */
#ifndef PMUTRACE_CMD_DIFF_WORDS_H
#define PMUTRACE_CMD_DIFF_WORDS_H

#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/difference_limit.h"
#include "model/unit_tally.h"

struct cmd_words;

/* Borrowed from the command line. */
struct diff_files {
	char **items;
	size_t nr;
};

/* "A B", or "A.. -- B..". 0; -EINVAL with @why; -ENOMEM. */
int diff_words__sides(const struct cmd_words *words, struct diff_files sides[2],
		      struct buf *why) must_check;

/* "windows"; NULL is TALLY_AUTO. 0; -EINVAL with @why; -ENOMEM. */
int diff_words__unit(const char *text, enum tally_unit *unit, struct buf *why) must_check;

/* "5", "5:parse". The function is borrowed from it. 0; -EINVAL with @why; -ENOMEM. */
int diff_words__limit(const char *text, struct difference_limit_opts *limit,
		      struct buf *why) must_check;

#endif
