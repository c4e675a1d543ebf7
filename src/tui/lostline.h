/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/lostline.h - what an interval has lost, on a line: "Lost 3 of 100 timeslices, 2 samples".
 *
 * What is a tenth of a percent or more of what there was is red, or yellow where it was kept in
 * part. Less than that changes no number that is shown.
 */
#ifndef PMUTRACE_TUI_LOSTLINE_H
#define PMUTRACE_TUI_LOSTLINE_H

#include <stddef.h>

#include "tui/canvas.h"
#include "tui/view.h"

/* Draws the losses of the interval and of its samples. Returns a column behind them, with a gap. */
int lostline__draw(const struct view_data *d, struct canvas *c, int y);

/* The i-th word that may be behind a number on that line; *help: what it means. NULL: no more. */
const char *lostline__word(size_t i, const char **help);

#endif
