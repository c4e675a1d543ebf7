/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import/pprof_frames.h - locations of a pprof profile -> frames of ours, each location once.
 */
#ifndef PMUTRACE_IMPORT_PPROF_FRAMES_H
#define PMUTRACE_IMPORT_PPROF_FRAMES_H

#include <stdbool.h>

#include "base/idmap.h"
#include "model/profile.h"
#include "proto/pprof.pb-c.h"

struct location_frames {
	uint32_t first, nr; /* of pprof_frames.all, the innermost first; nr 0: not looked at */
	int err;	    /* -ENOSPC: the profile has no room for one */
};

struct pprof_frames {
	struct profile *p;	    /* borrowed */
	const Pprof__Profile *from; /* borrowed */
	bool places;
	struct idmap mappings, locations, functions; /* id -> index */
	struct location_frames *of;		     /* by index of the location */
	uint32_t *all;
	size_t nr_all, cap_all;
};

/* Zero-initialised but for the first three. 0 or -ENOMEM; pprof_frames__free() in any case. */
int pprof_frames__begin(struct pprof_frames *x) must_check;
void pprof_frames__free(struct pprof_frames *x);

/* A string of the table; "": there is no such one. */
const char *pprof_frames__string(const struct pprof_frames *x, int64_t id);

/*
 * The frames of a location, the innermost first. 0; -ENOSPC; -EPROTO: there is no such location;
 * -ENOMEM. *frames: until the next call.
 */
int pprof_frames__of(struct pprof_frames *x, uint64_t location, const uint32_t **frames,
		     uint32_t *nr) must_check;

/* It has more lines than are looked at: its outermost ones are not among the frames. */
bool pprof_frames__is_cut(const struct pprof_frames *x, uint64_t location);

/* The name of its only function; "": it has none, or several. */
const char *pprof_frames__only_name(const struct pprof_frames *x, uint64_t location);

#endif
