/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/livefilter.h - which tasks a live view is of: -p -t -u --comm -G.
 *
 * Conditions of different kinds all have to hold; of one kind, any. Idle tasks are nobody's: they
 * are wanted only where there is no condition at all. What processes.h does not know does not
 * match; only the kernel's threads are taken for processes then.
 *
 * Knows: conditions. Does not know: whether what they name exists.
 */
#ifndef PMUTRACE_MODEL_LIVEFILTER_H
#define PMUTRACE_MODEL_LIVEFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/live.h"
#include "model/processes.h"

struct livefilter;

/* Wants everything. @p: borrowed; what is known when it is asked. NULL: no memory. */
struct livefilter *livefilter__new(const struct processes *p);
void livefilter__free(struct livefilter *f);

/*
 * One option each, as typed; more of a kind with each call. 0; -EINVAL: @why says what is wrong
 * with it; -ENOMEM.
 *
 * pids, tids: "17,42"; a process is one without its children. user: a name or a number. comm: a
 * pattern for the name of the thread. cgroups: "ID,PATTERN,..", where a pattern is a path below
 * the mount, with or without the mount, and '*', '?' and [sets] as in a shell, but '*' matches
 * slashes too; those below are of it.
 */
int livefilter__add_pids(struct livefilter *f, const char *text, struct buf *why) must_check;
int livefilter__add_tids(struct livefilter *f, const char *text, struct buf *why) must_check;
int livefilter__add_user(struct livefilter *f, const char *text, struct buf *why) must_check;
int livefilter__add_comm(struct livefilter *f, const char *text, struct buf *why) must_check;
int livefilter__add_cgroups(struct livefilter *f, const char *text, struct buf *why) must_check;

/* There is a condition. */
bool livefilter__selects(const struct livefilter *f);
bool livefilter__wants(const struct livefilter *f, const struct live_task *t);

/* For live__rows_of(). */
struct live_filter livefilter__of(const struct livefilter *f);

#endif
