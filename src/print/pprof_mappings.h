/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/pprof_mappings.h - the files that the code of a profile is in, as pprof's mappings.
 *
 * Of frames with a place (model/code_place.h) a file is told by path, build-id and how its
 * addresses lie to its offsets; of others by its name alone, and has no addresses. Files that no
 * sample has code of are not there. The first one is the program: the file without ".so" and "["
 * in its name that most samples begin in.
 */
#ifndef PMUTRACE_PRINT_PPROF_MAPPINGS_H
#define PMUTRACE_PRINT_PPROF_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct profile;

struct pprof_mapping {
	uint32_t path, build_id;       /* strings of the profile */
	uint64_t start, limit, offset; /* pages of its code that there is; 0: not known */
	uint64_t begun;		       /* samples of stacks that begin in it */
	bool has_functions, has_lines, has_inlined;
};

/* Zero-initialise it. */
struct pprof_mappings {
	struct pprof_mapping *items;
	size_t nr, cap;
	uint32_t *of; /* by frame: the mapping's number, from 1 on; 0: none */
};

/* 0 or -ENOMEM; pprof_mappings__free() in any case. */
int pprof_mappings__find(struct pprof_mappings *m, const struct profile *p) must_check;
void pprof_mappings__free(struct pprof_mappings *m);

/* Its number, from 1 on; 0: the frame is in no file. */
uint64_t pprof_mappings__of(const struct pprof_mappings *m, uint32_t frame);

#endif
