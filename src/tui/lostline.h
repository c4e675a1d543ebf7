/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/lostline.h - what an interval has lost, on a line: "Lost 3 of 100 timeslices, 2 samples".
 *
 * Losses of 0.1 % or more are red, or yellow if only parts of stacks are missing. Smaller ones do
 * not change any number that is shown, and have no colour.
 */
#ifndef PMUTRACE_TUI_LOSTLINE_H
#define PMUTRACE_TUI_LOSTLINE_H

#include <stddef.h>

#include "tui/canvas.h"
#include "tui/view.h"

/* Draws the losses of the interval and of its samples. Returns the column for what comes next. */
int lostline__draw(const struct view_data *d, struct canvas *c, int y);
/* Of samples alone. */
int lostline__draw_samples(const struct losses *samples, struct canvas *c, int y);

/* The i-th kind of loss, as that line calls it; *help: what it means. NULL: there are no more. */
const char *lostline__word(size_t i, const char **help);

#endif
