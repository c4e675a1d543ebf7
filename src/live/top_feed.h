/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live/top_feed.h - where the intervals of `pmutrace top` come from, and where they go: the machine
 * or a recording (--replay), with names; and into a recording (--record).
 */
#ifndef PMUTRACE_LIVE_TOP_FEED_H
#define PMUTRACE_LIVE_TOP_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "live/top_tasks.h"
#include "model/live.h"
#include "model/processes.h"
#include "model/profile.h"

struct top_feed;

/*
 * @record, @replay: paths, or NULL; not both. @asked: events were asked for (-e), which the
 * recording says. Nothing is written before the first refresh, and what @record had stays until
 * then. 0 or -errno with @why.
 */
int top_feed__open(struct top_feed **out, const char *record, const char *replay, bool asked,
		   struct buf *why) must_check;
void top_feed__close(struct top_feed *f);

/* The file has taken all of it. 0 or -errno with @why. Of no recording: 0. */
int top_feed__end(struct top_feed *f, struct buf *why) must_check;

bool top_feed__is_replay(const struct top_feed *f);
bool top_feed__is_record(const struct top_feed *f);
bool top_feed__events_asked(const struct top_feed *f); /* for a column of each event */

/* The machine has no PMU, to be noted in the recording; what a replay says of its machine. */
void top_feed__set_no_pmu(struct top_feed *f);
bool top_feed__has_no_pmu(const struct top_feed *f);

/* Owned by the feed; one that is filled again and again. */
const struct processes *top_feed__processes(const struct top_feed *f);

/*
 * Of a replay: the interval that was read last, the first one before. Its events are those of the
 * recording.
 */
const struct live *top_feed__live(const struct top_feed *f);

/**
 * top_feed__refresh() - the next interval, with names, and into the recording
 * @top: what measures, running; NULL: of a replay
 * @live: the interval, to be borrowed until the next one
 * @ns: how long it was
 *
 * Return: 0; -ENODATA: a replay is at its end; -EBADMSG with @why: one interval of it is damaged,
 * and left behind, the one before is still there; another -errno with @why, or without.
 */
int top_feed__refresh(struct top_feed *f, struct top_tasks *top, const struct live **live,
		      uint64_t *ns, struct buf *why) must_check;

/*
 * Samples of the interval that is refreshed next, for its recording: borrowed until then. NULL:
 * there are none.
 */
void top_feed__attach(struct top_feed *f, const struct profile *samples);

/*
 * Into the recording, of which it makes one of samples alone: an interval that nothing is counted
 * in. 0, also where nothing is recorded; or as top_feed__refresh().
 */
int top_feed__put_samples(struct top_feed *f, const struct profile *samples,
			  struct buf *why) must_check;

/* Of a replay: what the interval has; NULL: none. Until the next one is read. */
const struct profile *top_feed__samples(const struct top_feed *f);
bool top_feed__has_samples_only(const struct top_feed *f); /* nothing was counted */

/* Of a replay: which interval is in the models, from 0 on, and how many there are. */
size_t top_feed__at(const struct top_feed *f);
size_t top_feed__nr(const struct top_feed *f);

/* Of a replay: the last interval was read, whole or not. */
bool top_feed__has_ended(const struct top_feed *f);

/**
 * top_feed__seek() - another interval of a replay
 * @by: so many forward or back from the one in the models, up to either end; one that is damaged
 * is passed by in the same direction, or at the end the other way
 *
 * Return: 0, also where there is no other one; @why: what there is to tell, if anything; -ENOMEM or
 * another -errno with @why.
 */
int top_feed__seek(struct top_feed *f, long by, const struct live **live, uint64_t *ns,
		   struct buf *why) must_check;

#endif
