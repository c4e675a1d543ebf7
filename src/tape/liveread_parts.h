/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tape/liveread_parts.h - private to liveread*.c: a cursor over bytes that cannot leave them, and
 * the parts of an interval.
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

/* Where too little is left numbers are 0, parts are empty, and `bad` is set. */
struct cursor {
	const uint8_t *at;
	size_t left;
	bool bad;
};

struct cursor cursor__part(struct cursor *c, size_t bytes);
uint16_t cursor__u16(struct cursor *c);
uint32_t cursor__u32(struct cursor *c);
uint64_t cursor__u64(struct cursor *c);
/* One line of UTF-8 instead of what was in @out. 0 or -ENOMEM. */
int cursor__text(struct cursor *c, struct buf *out) must_check;

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

/* A copy of a text, the caller's. 0 or -ENOMEM. */
int liveread__text(struct liveread_state *s, struct cursor *c, const char **out) must_check;

/* Its texts are to be freed, whatever is returned. 0 or -ENOMEM. */
int liveread__loss(struct liveread_state *s, struct cursor *c, struct loss *loss) must_check;

/* The part of events (liveread_events.c). As liveread__part(). */
int liveread__events(struct liveread_state *s, struct cursor *c) must_check;

/* The part of what was sampled, into *s->samples (liveread_profile.c). As liveread__part(). */
int liveread__profile(struct liveread_state *s, struct cursor *part) must_check;

/* Marks the tasks that have ended, once all uses are added. 0 or -ENOMEM. */
int liveread__mark_ended(struct liveread_state *s) must_check;

#endif
