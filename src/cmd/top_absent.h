/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/top_absent.h - why a name, a column or a set of columns has no value in this run: nobody
 * knows it, this machine cannot count it, it is not among what is counted, or was not recorded.
 */
#ifndef PMUTRACE_CMD_TOP_ABSENT_H
#define PMUTRACE_CMD_TOP_ABSENT_H

#include "base/array.h"
#include "base/buf.h"
#include "cmd/top.h"

/* A column_missing_fn. @run: struct top_run. */
int top_absent__name(void *run, const char *name, struct buf *why) must_check;

/* Appends what may have been meant by a word that is no event, column or set. 0 or -ENOMEM. */
int top_absent__suggest(const struct top_run *r, const char *name, struct buf *why) must_check;

/*
 * A column, or a set, by its name: nothing is appended if it has a value, or if one of a set's
 * events has. What is to be counted anew is tried to open. Uses r->why. 0 or -ENOMEM.
 */
int top_absent__choice(struct top_run *r, const char *choice, struct buf *why) must_check;

#endif
