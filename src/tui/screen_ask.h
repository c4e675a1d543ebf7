/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/screen_ask.h - questions: a prompt on the last line, or a list to choose from.
 *
 * They set the screen's mode; until it is SCREEN_TABLE again keys go to screen__answer(), which
 * also does what was asked for. What returns int returns 0 or -ENOMEM.
 */
#ifndef PMUTRACE_TUI_SCREEN_ASK_H
#define PMUTRACE_TUI_SCREEN_ASK_H

#include "base/array.h"
#include "tui/keys.h"
#include "tui/screen_state.h"

/* The question that goes with the action; does nothing if it has none. */
void screen__ask(struct screen *s, enum action action);

/* Which column to sort by. Functions have two: they are sorted by the other one at once. */
int screen__ask_sort(struct screen *s) must_check;
/* Which columns to show; tells the user if there is no choice. */
int screen__ask_columns(struct screen *s) must_check;

/* A key, in mode SCREEN_PROMPT, SCREEN_COLUMNS or SCREEN_SORT. */
int screen__answer(struct screen *s, const struct input *in) must_check;

#endif
