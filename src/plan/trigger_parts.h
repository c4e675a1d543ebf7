/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/trigger_parts.h - private to the sources of plan/trigger.h and plan/calls_plan.h:
 *	trigger.c		probes, filter, what is measured
 *	trigger_keys.c		the parts of a key
 *	trigger_buckets.c	histograms
 */
#ifndef PMUTRACE_PLAN_TRIGGER_PARTS_H
#define PMUTRACE_PLAN_TRIGGER_PARTS_H

#include "plan/fields.h"
#include "plan/trigger.h"

/* "--by": t->key, each probe's by[]. @fields: of each probe. */
int trigger__keys(struct trigger *t, const char *by, struct fields **fields,
		  struct buf *why) must_check;

/* A field of each probe, all of one kind. @set: told of each. 0, -EINVAL, .. with @why. */
int trigger__each_field(struct trigger *t, struct fields **fields, const char *text, size_t len,
			enum field_kind *kind, int (*set)(struct hits_probe *p, struct field *f),
			struct buf *why) must_check;

/* "LO,HI,STEP" */
int trigger__linear(struct buckets *b, const char *text, struct buf *why) must_check;

/* The bucket is the last of a row's fields, as its word is the last of the hit's. */
int trigger__bucket_field(struct rowkeys *key, const struct buckets *b) must_check;

/* The same for programs. */
struct buckets_linear trigger__linear_of(const struct buckets *b);

#endif
