/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/resolve.h - names for the code of a profile that was made before, perhaps elsewhere.
 *
 * A file with code is found again by its path and told by its build-id: at that path, or below a
 * directory (--symfs), and its debug information in the file, in this machine's debug files, or on
 * servers. A file without a build-id, or that has another one, has no names here. What is found of
 * an address takes the place of what the profile has, unless that had a name and this has none.
 *
 * Paths and build-ids may be a stranger's word. Files are opened as sym/finder.h says: regular
 * ones that are ELF files alone, and read in a jail.
 */
#ifndef PMUTRACE_COLLECT_RESOLVE_H
#define PMUTRACE_COLLECT_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

struct debuginfod;
struct jail;
struct profile;

struct resolve_opts {
	struct jail *jail;	       /* sym/finder.h; borrowed; or NULL */
	struct debuginfod *debuginfod; /* the same */
	const char *symfs;	       /* before all paths; NULL: nothing */
	bool demangle, inlines;
};

/* What is to be told. Frames: addresses with a place in a file. */
struct resolve_found {
	uint64_t nr_frames, nr_nameless; /* all; those without a name before */
	uint64_t nr_named;		 /* of the latter: those that have one now */
	uint64_t nr_untold;		 /* in files of which no build-id is known */
};

/* *out: a copy of @p, which has places, for profile__free(). 0; -ENOMEM; another -errno. */
int resolve__names(struct profile **out, const struct profile *p, const struct resolve_opts *o,
		   struct resolve_found *found) must_check;

#endif
