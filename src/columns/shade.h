/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * columns/shade.h - a ratio of events of one group, of any part of a profile: what flame graphs
 * colour frames by.
 *
 * It is a column (columns/column_defs.h: "ipc") or a formula (columns/formula.h) over events by
 * their names, with or without the modifiers that they have in the profile (without: those of the
 * first event, if there are several); `time` is the first
 * event where that is a clock. Counts are weights: of the first event, which is sampled, and of the
 * members of its group, which are counted at its samples (model/profile.h). Other events were not
 * counted together with these: a ratio of them is refused.
 */
#ifndef PMUTRACE_COLUMNS_SHADE_H
#define PMUTRACE_COLUMNS_SHADE_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "columns/formula.h"
#include "model/profile.h"

struct shade;

/* Calls @each with the events of the formula. 0; -EINVAL with @why; -ENOMEM; or of @each. */
int shade__needs(const char *formula, int (*each)(void *arg, const char *event, struct buf *why),
		 void *arg, struct buf *why) must_check;

/* 0; -EINVAL with @why: no formula, or @p does not tell what it is of; -ENOMEM. */
int shade__open(struct shade **out, const char *formula, const struct profile *p,
		struct buf *why) must_check;
void shade__free(struct shade *s);

/* "IPC", or the formula. */
const char *shade__title(const struct shade *s);

/* The events that it is of, by their index in the profile. */
size_t shade__events(const struct shade *s, const uint32_t **events);

/* The formula in postfix order; values are indices into shade__events(). */
size_t shade__ops(const struct shade *s, const struct formula_op **ops);

/* @counts: by event, as shade__events() has them. NAN: divided by 0. */
double shade__value(const struct shade *s, const uint64_t *counts);

#endif
