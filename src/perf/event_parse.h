/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/event_parse.h - private to the files that parse events: one function for each kind of event.
 *
 * Each gets the event's text without modifiers and rate, and fills @ev or appends more to the list.
 * All return 0, or -errno with a sentence in @why.
 */
#ifndef PMUTRACE_PERF_EVENT_PARSE_H
#define PMUTRACE_PERF_EVENT_PARSE_H

#include "perf/event.h"

struct event_parser {
	struct perf_events *list;
	const struct perf_event_env *env;
	struct buf *why;
	int group;
};

/* Appends a sentence, and returns @err, or -ENOMEM. */
int event__refuse(struct event_parser *p, int err, const char *fmt, ...) must_check
	__attribute__((format(printf, 3, 4)));

/* A name that does not exist is a wrong word: -ENOENT -> -EINVAL. */
int event__unknown_is_invalid(int err);

/* Appends an event named like that. The array may move. */
int event__add(struct event_parser *p, const char *name, size_t len) must_check;

/* The event that was added last. */
struct perf_event_spec *event__last(const struct event_parser *p);

/* A generic, cache or raw event by its whole name; false if it is none. */
bool event__generic(struct perf_event_spec *ev, const char *name, size_t len);

/* The nearest name of those, or NULL. */
const char *event__nearest(const char *name);

/* "PMU/TERMS/": one event for each PMU that matches. */
int event__pmu(struct event_parser *p, const char *pmu, size_t pmu_len, const char *terms,
	       size_t terms_len) must_check;

/* A name in events/ of the CPU's own PMU. -ENOENT, without @why: there is none. */
int event__pmu_alias(struct event_parser *p, const char *name, size_t len) must_check;

/* "CATEGORY:NAME", globs allowed: one event for each. */
int event__tracepoint(struct event_parser *p, const char *category, size_t category_len,
		      const char *name, size_t name_len) must_check;

/* "mem:..." up to the modifiers; *used: how much that was. */
int event__breakpoint(struct event_parser *p, const char *text, size_t len,
		      size_t *used) must_check;

/* How long the prefix "kprobe:", "ur:".. of a probe is, 0: it is none. */
size_t event__probe_prefix(const char *text, size_t len);

/* Events that were made for this list in tracefs. NULL: nothing to do. */
void event__remove_fallback(struct event_fallback *f);

/* "kprobe:F+OFF" and the like. */
int event__probe(struct event_parser *p, const char *text, size_t len) must_check;

#endif
