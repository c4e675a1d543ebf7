/* SPDX-License-Identifier: BSD-2-Clause */
/* print/diff_sides.h - what graphs of both sides are made of: diff_html.c and diff_svg.c. */
#ifndef PMUTRACE_PRINT_DIFF_SIDES_H
#define PMUTRACE_PRINT_DIFF_SIDES_H

#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "print/diff.h"

struct diff_sides {
	struct profile *overlay; /* model/overlay.h */
	int8_t *sure; /* by its frames: their function, with what it calls, is more (1), less (-1) */
	struct buf texts[2];
	const char *names[2]; /* "A: old.pmut", "B: new-1.pmut and 3 more" */
};

/* @page: with totals. Zero-initialise @s; diff_sides__free() in any case. 0 or -ENOMEM. */
int diff_sides__open(struct diff_sides *s, const struct diff_page *page) must_check;
void diff_sides__free(struct diff_sides *s);

#endif
