/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/within_plan.h - "--within FUNCTION": a session of probe/within.h for a function by its name.
 */
#ifndef PMUTRACE_PLAN_WITHIN_PLAN_H
#define PMUTRACE_PLAN_WITHIN_PLAN_H

#include <stdbool.h>

#include "base/array.h"
#include "base/buf.h"
#include "machine/target.h"

struct lookup_reader;
struct within_plan;

/**
 * within_plan__open() - from now on tasks that enter the function are inside
 * @word:   as in plan/function_words.h, one function; NULL: none, then *out is NULL
 * @force:  see it return by a return probe, also where that may break the program
 * @target, @reader: borrowed during open; who reads the program (lookup/lookup_reader.h), or NULL
 * @why:    on error a sentence
 *
 * Return: 0; -EINVAL: the word is wrong; another -errno.
 */
int within_plan__open(struct within_plan **out, const char *word, bool force,
		      const struct target *target, struct lookup_reader *reader,
		      struct buf *why) must_check;

/* Sessions that use within_plan__fd() are closed before. */
void within_plan__close(struct within_plan *in);

/* For sampler_opts.within_fd and count_opts.within_fd; 0 of NULL. */
int within_plan__fd(const struct within_plan *in);

/* Notices about tasks wrongly taken for inside or outside. True: there may be some. */
bool within_plan__tell(const struct within_plan *in);

#endif
