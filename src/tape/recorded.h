/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tape/recorded.h - the samples of a recording (tape/liveread.h) -> model/profile.h.
 *
 * Intervals are read one after the other, also from a pipe; those that were sampled (top with
 * functions in view) are added up. Recordings may be of strangers.
 */
#ifndef PMUTRACE_TAPE_RECORDED_H
#define PMUTRACE_TAPE_RECORDED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "tape/reading.h"

struct profile;

/* @bytes: the first ones of a file. */
bool recorded__is_it(const char *bytes, size_t len);

/**
 * recorded__read() - add what was sampled to a profile
 * @p: a new one, or one that has no fields and metrics
 *
 * Return: as capture__read(), without -EFBIG.
 */
int recorded__read(struct profile *p, const struct tape_input *in, const struct tape_opts *o,
		   struct tape_found *found) must_check;

#endif
