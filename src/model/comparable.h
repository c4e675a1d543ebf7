/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/comparable.h - whether runs can be compared: what was not the same for all of them.
 *
 * The first one that is looked at is what the others are held against. What makes a comparison
 * wrong is refused; what can make it so, another machine or rate, is told in notices, once.
 */
#ifndef PMUTRACE_MODEL_COMPARABLE_H
#define PMUTRACE_MODEL_COMPARABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/profile.h"

enum { COMPARABLE_FACTS = 7 };

/* Zero-initialise it. Texts are borrowed: the first profile lives as long as it. */
struct comparable {
	const char *file;	    /* the first one; NULL: none yet */
	struct profile_event event; /* of it */
	struct profile_about about;
	unsigned nr_cpus;
	bool told[COMPARABLE_FACTS];
};

/**
 * comparable__event() - find the event that is compared
 * @name: of --event; NULL: that of the first run, or of that its first one
 * @event: index in @p
 *
 * Folded stacks do not tell of which event they are: they go with any, which is told.
 *
 * Return: 0; -EPROTO with @why: @p has no such event; -ENOMEM.
 */
int comparable__event(struct comparable *c, const struct profile *p, const char *file,
		      const char *name, uint32_t *event, struct buf *why) must_check;

/* Tells what is not as in the first run, whose rates @absolute ones are compared with. 0; -EPROTO
 * with @why: numbers per second say nothing then; -ENOMEM. */
int comparable__look(struct comparable *c, const struct profile *p, const char *file,
		     uint32_t event, bool absolute, struct buf *why) must_check;

#endif
