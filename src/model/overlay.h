/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/overlay.h - the stacks of two profiles as one profile, which tells both apart.
 *
 * It has one event, which has a sample for each of both sides' and a weight of 1 for each of side
 * B's: samples of A are what is in samples and not in weight. So all that walks stacks
 * (model/tree.h) has both numbers at each of them. Rows are told apart by their stacks alone.
 * Side A is also the first window (model/windows.h), and B the second one; they have no times.
 * Losses are those of all that was measured on a side, in its window.
 */
#ifndef PMUTRACE_MODEL_OVERLAY_H
#define PMUTRACE_MODEL_OVERLAY_H

#include <stdint.h>

#include "base/array.h"

struct profile;

/* @events: index of each. 0, and *out is for profile__free(); -EINVAL: no such event; -ENOMEM. */
int overlay__new(struct profile **out, const struct profile *const sides[2],
		 const uint32_t events[2]) must_check;

#endif
