/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/meters.h - a number as a bar, and what it was before as a line of blocks.
 */
#ifndef PMUTRACE_TUI_METERS_H
#define PMUTRACE_TUI_METERS_H

#include "tui/canvas.h"

enum { HISTORY = 64 };

/* The last values, newest last. Zero-initialise it. */
struct history {
	float values[HISTORY]; /* NAN: not known */
	unsigned nr, next;
};

void history__add(struct history *h, double value);
/* @back: 0 the newest. NAN where there is none. */
double history__at(const struct history *h, unsigned back);

/*
 * The newest @width values, the newest on the right, scaled from 0 to @full (0: the largest one of
 * them). Blanks where nothing is known.
 */
void meter__spark(struct canvas *c, int x, int y, int width, const struct history *h, double full);

/* "[|||||   45.3%]" in @width columns, at least 9; @share 0..1, NAN: "-". */
void meter__bar(struct canvas *c, int x, int y, int width, double share);

#endif
