/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/code_places.h - where sym/ found code -> a place of the profile.
 */
#ifndef PMUTRACE_COLLECT_CODE_PLACES_H
#define PMUTRACE_COLLECT_CODE_PLACES_H

#include <stdint.h>

#include "base/array.h"
#include "model/code_place.h"

struct mapped_files;
struct profile;
struct sym_frame;
struct sym_place;

struct code_places {
	struct profile *profile;	  /* borrowed */
	const struct mapped_files *files; /* borrowed */
	uint32_t kernel_id;		  /* string: the running kernel's build-id */
};

/* 0; -ENOMEM; -ENOSPC: what is new to a sealed profile. */
int code_places__init(struct code_places *c, struct profile *profile,
		      const struct mapped_files *files) must_check;

/* *id: for frame.place. The same errors. */
int code_places__add(const struct code_places *c, const struct sym_frame *frame,
		     const struct sym_place *at, uint32_t *id) must_check;

#endif
