/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * catalog/explain.h - what the events of a list stand for, and whether they open here.
 */
#ifndef PMUTRACE_CATALOG_EXPLAIN_H
#define PMUTRACE_CATALOG_EXPLAIN_H

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "model/explained.h"

/**
 * explain__events() - appends an explanation for each event, in order
 * @events: with "*" as a pattern, or of several PMUs, one text has become many
 *
 * Each is opened twice for a moment, disabled, with the rate that it would sample at: for this
 * process, and on the CPU that runs it (or the first of the event's own). Nothing is counted.
 * Return: 0 or -errno, with @why.
 */
int explain__events(struct explanations *l, const struct perf_events *events,
		    struct buf *why) must_check;

/**
 * explain__list() - the same for "EV,{EV,EV}", each by itself
 * @reader: reads programs that events name (lookup/lookup_reader.h); or NULL
 * @why: a sentence for each that nobody knows
 *
 * One that this kernel cannot make, or not for this user, is explained as far as its name goes, and
 * why it does not open. Return: 0; -EINVAL: some are not known, the others are there; -ENOMEM.
 */
int explain__list(struct explanations *l, const char *list, struct lookup_reader *reader,
		  struct buf *why) must_check;

/*
 * "PMU/TERMS/" of an attr: by the fields of the PMU of its type, as far as these say all of it,
 * else by whole words. Appended to @out, or nothing if no PMU has this type. @root: "" or a
 * fixture tree. 0 or -errno.
 */
int explain__terms(const char *root, const struct perf_event_attr *attr,
		   struct buf *out) must_check;

/* Where a name came from, and, if that is known, what it counts. 0 or -ENOMEM. */
int explain__origin(const struct perf_event_spec *ev, struct buf *origin,
		    struct buf *text) must_check;

/* The same of an event that could not be made: what its name alone says. 0 or -ENOMEM. */
int explain__name(const char *name, struct buf *origin, struct buf *text) must_check;

#endif
