/* SPDX-License-Identifier: BSD-2-Clause */
/* base/suggest.h - the end of an error message about an unknown name: what was meant? */
#ifndef PMUTRACE_BASE_SUGGEST_H
#define PMUTRACE_BASE_SUGGEST_H

#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/strtab.h"

/*
 * Appends "; did you mean a, b or c?": up to three of @names that may have been meant, the nearest
 * first, or nothing. Those that are appended become NULL in @names. 0 or -ENOMEM.
 */
int suggest(struct buf *why, const char *name, const char **names, size_t nr) must_check;

/* The same, or what there is if none is near: "; there is a, b and 7 more". */
int suggest_or_list(struct buf *why, const char *name, const char **names, size_t nr) must_check;

/* suggest() of all strings of a table; wild cards in @name are passed over. */
int suggest_of(struct buf *why, const char *name, const struct strtab *table) must_check;

#endif
