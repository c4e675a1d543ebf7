/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tape/liveread_parts.h - private to liveread*.c: the parts of an interval.
 */
#ifndef PMUTRACE_TAPE_LIVEREAD_PARTS_H
#define PMUTRACE_TAPE_LIVEREAD_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/live.h"
#include "model/processes.h"
#include "model/profile.h"
#include "tape/cursor.h"

struct liveread_state {
	struct live *live;	     /* NULL: names only */
	struct processes *processes; /* NULL: all but names */
	struct cursor tasks;	     /* the bytes of all of them */
	uint32_t nr_tasks;
	struct buf text, more;	  /* the last texts */
	struct profile **samples; /* NULL: not wanted */
	uint32_t seen;		  /* bits of kinds of parts */
};

/* Takes what it knows of a part; sets part->bad where it is not whole. 0, -EBADMSG or -ENOMEM. */
int liveread__part(struct liveread_state *s, uint32_t kind, struct cursor *part) must_check;

/* The part of what was sampled, into *s->samples (liveread_profile.c). As liveread__part(). */
int liveread__profile(struct liveread_state *s, struct cursor *part) must_check;

/* Marks the tasks that have ended, once all uses are added. 0 or -ENOMEM. */
int liveread__mark_ended(struct liveread_state *s) must_check;

#endif
