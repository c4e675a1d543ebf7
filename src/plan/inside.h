/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/inside.h - "--within FUNCTION": a session of probe/within.h for a function by its name.
 */
#ifndef PMUTRACE_PLAN_INSIDE_H
#define PMUTRACE_PLAN_INSIDE_H

#include <stdbool.h>

#include "base/array.h"
#include "base/buf.h"
#include "machine/target.h"

struct inside;

/**
 * inside__open() - from now on tasks that enter the function are inside
 * @word:   as in plan/function_words.h, one function; NULL: none, then *out is NULL
 * @force:  see it return by a return probe, also where that may break the program
 * @target: borrowed during open
 * @why:    on error a sentence
 *
 * Return: 0; -EINVAL: the word is wrong; another -errno.
 */
int inside__open(struct inside **out, const char *word, bool force, const struct target *target,
		 struct buf *why) must_check;

/* Sessions that use inside__fd() are closed before. */
void inside__close(struct inside *in);

/* For sampler_opts.within_fd and hits_opts.within_fd; 0 of NULL. */
int inside__fd(const struct inside *in);

/* Notices about tasks wrongly taken for inside or outside. True: there may be some. */
bool inside__tell(const struct inside *in);

#endif
