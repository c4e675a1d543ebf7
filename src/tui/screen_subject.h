/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/screen_subject.h - the process or thread that is looked into: its name, and whether it has
 * exited.
 *
 * It is that of the row that was entered. Each new interval is searched for it, and also for those
 * of the views that Esc leads back to.
 */
#ifndef PMUTRACE_TUI_SCREEN_SUBJECT_H
#define PMUTRACE_TUI_SCREEN_SUBJECT_H

#include <stddef.h>

#include "model/live.h"
#include "tui/screen_state.h"

/* The subject of @p is the task of that row from now on. */
void screen__begin_subject(struct screen_place *p, const struct live *l,
			   const struct live_row *row);
/* There is a new interval. */
void screen__follow_subjects(struct screen *s);

/* "process 42 web". */
void screen__name_subject(const struct screen *s, char *text, size_t size);
/*
 * Why there are no rows: because of the subject, or else @otherwise. Valid until the next call.
 */
const char *screen__missing(struct screen *s, const char *otherwise);

#endif
