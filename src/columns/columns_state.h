/* SPDX-License-Identifier: BSD-2-Clause */
/* columns/columns_state.h - what columns.c and columns_choose.c share. */
#ifndef PMUTRACE_COLUMNS_COLUMNS_STATE_H
#define PMUTRACE_COLUMNS_COLUMNS_STATE_H

#include <stdint.h>

#include "base/strtab.h"
#include "columns/column_defs.h"
#include "columns/columns.h"
#include "columns/formula.h"

struct columns_private {
	struct strtab *texts;
	struct strtab *whys; /* of the last columns__explain(); NULL: there was none */
};

/* The event behind a part of a formula; SIZE_MAX: it is something else. */
static inline size_t column__event(const struct formula_op *op)
{
	return op->type == FORMULA_VALUE && op->value >= COLUMN_EVENTS ? op->value - COLUMN_EVENTS
								       : SIZE_MAX;
}

/* Copies a text, as well-formed UTF-8. 0 or -ENOMEM. */
int columns__keep(struct columns *c, const char *s, const char **out) must_check;

#endif
