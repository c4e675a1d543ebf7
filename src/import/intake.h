/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import/intake.h - what all readers of files do with the stacks that they find.
 *
 * They are added to a profile, which may have those of other files, up to a number of bytes; what
 * is new beyond that is a loss, and a stack that is too deep a flaw. Does not know: how files look.
 */
#ifndef PMUTRACE_IMPORT_INTAKE_H
#define PMUTRACE_IMPORT_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/profile.h"

enum {
	INTAKE_FRAMES = 4096, /* of a stack that are kept, the outermost */
	INTAKE_EVENTS = 1024, /* of a profile */
	INTAKE_KNOWN = 4096,  /* frames that are found again without the profile's tables */
};

/* Of all samples, of all files: sums do not overflow. */
#define INTAKE_MAX 1000000000000000000ull

/* A frame of the stack before, and its node. */
struct intake_step {
	uint32_t frame, node;
};

struct intake {
	struct profile *p;
	uint64_t max_bytes; /* profile__bytes(): what is new beyond is lost */
	uint64_t sum;	    /* samples of this file and of those before */
	uint64_t sum_before;
	uint64_t weight;    /* of all samples, those of files before among them; or INTAKE_MAX */
	size_t nr_unlooked; /* bytes of the file since memory was summed up */
	uint64_t nr_full;   /* samples without room */
	uint64_t nr_deep;   /* samples of stacks that were too deep */
	struct intake_step *steps;
	size_t nr_steps, cap_steps;
	uint32_t known[INTAKE_KNOWN]; /* by hash of the name: a frame and 1; 0: none */
};

/* Of such files nobody knows what was lost when they were made. @p: borrowed. */
void intake__begin(struct intake *in, struct profile *p, uint64_t max_bytes);

/* Tells the profile what was seen, kept and lost, and frees what it has. */
void intake__end(struct intake *in);

/* Before @len bytes of the file are looked at: is there room for what they may bring? */
void intake__look_at_room(struct intake *in, size_t len);

/*
 * The event of this name: the one that the profile has, or a new one. 0, -ENOSPC or -ENOMEM; then
 * *event is none, whose samples are losses.
 */
int intake__event(struct intake *in, const char *name, size_t len, const char *unit,
		  uint32_t *event) must_check;

/* The same of one that was counted at the samples of @leader, a member of its group. */
int intake__member(struct intake *in, const char *name, size_t len, const char *unit,
		   uint32_t leader, uint32_t *event) must_check;

/*
 * The node of a stack: ids of its frames, innermost first. What it has in common with the stack
 * before is not looked for again. 0, -ENOSPC or -ENOMEM.
 */
int intake__stack(struct intake *in, const uint32_t *frames, size_t nr, uint32_t *node) must_check;

/* A frame below @parent. 0, -ENOSPC or -ENOMEM. */
int intake__child(struct intake *in, uint32_t parent, const char *name, size_t len,
		  enum frame_kind kind, uint32_t *node) must_check;

/* The note that is left in place of frames that are too many. The same errors. */
int intake__truncated(struct intake *in, uint32_t parent, uint32_t *node) must_check;

/*
 * Adds @samples of a stack, for which @err came out: -ENOSPC is a loss, and 0 then. Without samples
 * there is no row, but of a member's weight. 0 or -errno.
 */
int intake__add(struct intake *in, const struct row_key *key, uint64_t samples, uint64_t weight,
		bool is_deep, int err) must_check;

#endif
