/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tape/recording.h - top --record: intervals into a file, and elsewhere when its disk is full.
 *
 * What the file had before stays until there is an interval to record. Of an interval that did not
 * arrive nothing stays in it: it is a recording up to there, and what follows is another
 * (base/rescue.h), which is told at once and is a failed run at its end.
 */
#ifndef PMUTRACE_TAPE_RECORDING_H
#define PMUTRACE_TAPE_RECORDING_H

#include "base/array.h"
#include "base/buf.h"
#include "model/live.h"
#include "model/processes.h"
#include "model/profile.h"

struct recording;

/* @path: borrowed. 0 or -errno with @why. */
int recording__open(struct recording **out, const char *path, struct buf *why) must_check;

/* One interval more, as livefile__put(). @flags: LIVEREAD_ASKED and others, of the first. */
int recording__put(struct recording *r, const struct live *live, const struct processes *p,
		   const struct profile *samples, unsigned flags, struct buf *why) must_check;

/* All is recorded. 0; or -errno with @why: not all of it is in the file. */
int recording__end(struct recording *r, struct buf *why) must_check;
void recording__close(struct recording *r);

#endif
