/* SPDX-License-Identifier: BSD-2-Clause */
/* sym/suggest.h - the end of a sentence about a name that is not there. */
#ifndef PMUTRACE_SYM_SUGGEST_H
#define PMUTRACE_SYM_SUGGEST_H

#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"

/*
 * Appends "; did you mean a, b or c?": up to three of @names that may have been meant, the nearest
 * first, or nothing. Those that are appended become NULL in @names. 0 or -ENOMEM.
 */
int suggest(struct buf *why, const char *name, const char **names, size_t nr) must_check;

#endif
