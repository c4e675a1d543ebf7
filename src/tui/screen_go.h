/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/screen_go.h - from one view to another, and back.
 *
 * All return 0 or -ENOMEM. When a view cannot be shown the user is told why, and the present one
 * stays.
 */
#ifndef PMUTRACE_TUI_SCREEN_GO_H
#define PMUTRACE_TUI_SCREEN_GO_H

#include "base/array.h"
#include "tui/screen_state.h"

/* To that view of all processes, CPUs and cgroups: what was looked into is forgotten. */
int screen__go_to(struct screen *s, enum screen_what what) must_check;
/* To the next view in the order of Tab (@step 1), or the one before (-1). */
int screen__step_view(struct screen *s, int step) must_check;
/* Looks into the selected row: a process's threads, a thread's functions, a function's stacks. */
int screen__enter(struct screen *s) must_check;
/* Back to where the last screen__enter() was; if there is none, clears filters and tags. */
int screen__back(struct screen *s) must_check;

#endif
