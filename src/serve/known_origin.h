/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/known_origin.h - an origin of samples (serve/origins.h): what it is called, and its labels,
 * by a cgroup's path or by what a process says.
 */
#ifndef PMUTRACE_SERVE_KNOWN_ORIGIN_H
#define PMUTRACE_SERVE_KNOWN_ORIGIN_H

#include <stdbool.h>

#include "base/buf.h"
#include "import/process_context.h"
#include "serve/origins.h"

/* What is known of an origin, for as long as it is seen. */
struct known_origin {
	struct origin shown;
	struct buf texts[ORIGIN_LABELS + 1]; /* values of labels, then `whose` */
	unsigned unused;		     /* windows in a row in which it had no samples */
	char *within;			     /* by a context: `whose` of the cgroup; else NULL */
	struct process_context says;	     /* by a context: that */
};

/* By a path below the cgroup2 mount. @root: see struct origins_opts. NULL: out of memory. */
struct known_origin *known_origin__new(const char *root, const char *path);

/*
 * Of what a process of @of says: labels as that has them, but for the service's name if it says its
 * own, and what it says besides. NULL: out of memory.
 */
struct known_origin *known_origin__of_context(const struct known_origin *of,
					      const struct process_context *says);
void known_origin__free(struct known_origin *k);

/* Are these the same, whichever cgroups and processes they were made of? */
bool known_origin__is_same(const struct known_origin *a, const struct known_origin *b);

#endif
