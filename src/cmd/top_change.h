/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/top_change.h - other columns and events while `pmutrace top` runs.
 */
#ifndef PMUTRACE_CMD_TOP_CHANGE_H
#define PMUTRACE_CMD_TOP_CHANGE_H

#include "base/array.h"
#include "base/buf.h"
#include "cmd/top_run.h"
#include "tui/chooser.h"

/*
 * From now on the columns of a choice are shown, and what they need is counted; or these @events,
 * with a column for each. r->top, r->live and r->columns are others then. 0 or -errno with @why, a
 * sentence: what there was goes on.
 */
int top_change__columns(struct top_run *r, const char *choice, struct buf *why) must_check;
int top_change__events(struct top_run *r, const char *events, struct buf *why) must_check;

/*
 * All columns and sets that there are, with the reason of each that has no value here, and what
 * else is shown; what is shown is chosen. 0 or -ENOMEM.
 */
int top_change__list(struct top_run *r, struct chooser *into) must_check;

#endif
