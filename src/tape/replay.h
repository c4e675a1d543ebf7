/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tape/replay.h - a recording of a live view (tape/liveread.h) as a file: any interval of it,
 * in any order.
 *
 * Opening looks where the intervals are, and reads none of them. Of a file that was cut off, or is
 * still written, the whole intervals are there.
 */
#ifndef PMUTRACE_TAPE_REPLAY_H
#define PMUTRACE_TAPE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/live.h"
#include "model/processes.h"
#include "model/profile.h"

struct replay;

/* 0; -EPROTO: it is no recording; -ENODATA: not one interval is whole; another -errno; @why. */
int replay__open(struct replay **out, const char *path, struct buf *why) must_check;
void replay__close(struct replay *r);

/* Why there is no more behind the last interval, a sentence; NULL: the file ends there. */
const char *replay__flaw(const struct replay *r);

/* Events were asked for by themselves when it was recorded: they are to be shown so. */
bool replay__events_asked(const struct replay *r);

/* The machine had no PMU: software events are what is shown if nothing is asked for. */
bool replay__has_no_pmu(const struct replay *r);

/* Nothing was counted: intervals have samples, and names. */
bool replay__has_samples_only(const struct replay *r);

size_t replay__nr(const struct replay *r);

/*
 * Goes to an interval: it is in the models from then on, names as they were known at that time; if
 * one before it is damaged, without what was new in that.
 * -EBADMSG: it is damaged; others may be fine; another -errno. @why: on error a sentence. On any
 * error the interval before is still there; names that came with the damaged one may be, too.
 */
int replay__go(struct replay *r, size_t i, struct buf *why) must_check;

/* Owned by the replay. The interval is another object after each replay__go() that returns 0. */
const struct live *replay__live(const struct replay *r);
const struct processes *replay__processes(const struct replay *r);

/* What was sampled in the interval; NULL: nothing was. Up to the next one. */
const struct profile *replay__samples(const struct replay *r);

#endif
