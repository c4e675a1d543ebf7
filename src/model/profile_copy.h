/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/profile_copy.h - what copying one profile into another is made of, for profile_merge.c,
 * regroup.c and overlay.c.
 */
#ifndef PMUTRACE_MODEL_PROFILE_COPY_H
#define PMUTRACE_MODEL_PROFILE_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

struct profile;

/* The string @id of @from, as *out of @to. 0, -ENOMEM or -ENOSPC. */
int profile_copy__string(struct profile *to, const struct profile *from, uint32_t id,
			 uint32_t *out) must_check;

/*
 * The frame @id of @from, as *out of @to, with its place if there are @places; it is not late
 * there. 0, -ENOMEM or -ENOSPC.
 */
int profile_copy__frame(struct profile *to, const struct profile *from, uint32_t id, bool places,
			uint32_t *out) must_check;

/*
 * Adds times, and losses by reason. @events: which one of @to each of @from is. @seen and @kept are
 * what losses grow by.
 */
void profile_copy__run(struct profile *to, const struct profile *from, const uint32_t *events,
		       uint64_t seen, uint64_t kept);

#endif
