/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/pprof_locations.h - the locations of all stacks of a pprof profile.
 *
 * A location is a frame with the frames that are inlined into it. Those that are in most samples
 * have the smallest ids: an id below 128 is one byte of a file, and samples are most of it.
 */
#ifndef PMUTRACE_PRINT_PPROF_LOCATIONS_H
#define PMUTRACE_PRINT_PPROF_LOCATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct pprof_tables;
struct profile;

/* Of a node of the stacks. */
struct pprof_location {
	uint32_t id;
	uint32_t next; /* the node of the location around it; 0: the command, or nothing */
};

/* Zero-initialise it; pprof_locations__free() gives the memory back. */
struct pprof_locations {
	struct pprof_location *of; /* by node */
	uint64_t *ids;		   /* of the stack that was asked for last */
	size_t cap_ids;
};

/* Writes those of the stacks of @rows, row indices of t->p, into the file. 0 or -errno. */
int pprof_locations__write(struct pprof_locations *l, struct pprof_tables *t, const uint32_t *rows,
			   size_t nr) must_check;

/*
 * l->ids: those of the stack that ends with @node, of one of the rows, the innermost first; *nr of
 * them. The command, its outermost frame, is none of them but where there is nothing else;
 * *command: that frame's node, or 0. 0 or -ENOMEM.
 */
int pprof_locations__of(struct pprof_locations *l, const struct profile *p, uint32_t node,
			size_t *nr, uint32_t *command) must_check;

void pprof_locations__free(struct pprof_locations *l);

#endif
