/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/event_parse.h - private to the files that parse events: one function for each kind of
 * event.
 *
 * Each gets the event's text without modifiers and rate, and fills @ev or appends more to the list.
 * All return 0, or -errno with a sentence in @why.
 */
#ifndef PMUTRACE_EVENT_EVENT_PARSE_H
#define PMUTRACE_EVENT_EVENT_PARSE_H

#include "event/event.h"

struct pmu_terms;

struct event_parser {
	struct perf_events *list;
	const struct perf_event_env *env;
	struct buf *why;
	int group;
	const char *brace; /* the '{' of the group */
	const char *text;  /* the whole list */
	const char *bad;   /* the part of it that a sentence in @why is about; NULL: not known */
	size_t bad_len;
};

/* Notes which part of the list the next error is about; @len 0: something is missing there. */
void event__at(struct event_parser *p, const char *s, size_t len);

/* Appends a sentence, and returns @err, or -ENOMEM. */
int event__refuse(struct event_parser *p, int err, const char *fmt, ...) must_check
	__attribute__((format(printf, 3, 4)));

/* A name that does not exist is a wrong word: -ENOENT -> -EINVAL. */
int event__unknown_is_invalid(int err);

/* Appends an event named like that. The array may move. */
int event__add(struct event_parser *p, const char *name, size_t len) must_check;

/* The event that was added last. */
struct perf_event_spec *event__last(const struct event_parser *p);

/* Where the event is that was added last; strings are copied. */
int event__set_site(struct event_parser *p, const struct perf_site *site) must_check;

/* An event of this type with these terms; @name: unless they have one. */
int event__add_terms(struct event_parser *p, uint32_t type, const struct pmu_terms *t,
		     const char *name, size_t len) must_check;

/* "ukppp": are these letters of modifiers, at least one? */
bool event__is_modifiers(const char *s, size_t len);

/* Modifiers for the events from @first on. */
int event__modify(struct event_parser *p, size_t first, const char *s, size_t len) must_check;

/*
 * A generic, cache or raw event or "TYPE:CONFIG" by its whole name; with terms behind it: the '/'
 * around them are part of the event. -ENOENT, without @why: it is none.
 */
int event__generic(struct event_parser *p, const char *name, size_t len) must_check;
int event__generic_terms(struct event_parser *p, const char *name, size_t len, const char *terms,
			 size_t terms_len) must_check;

/* A cache event by its whole name. -ENOENT, without @why: it is none. */
int event__cache(struct event_parser *p, const char *name, size_t len, uint64_t *config) must_check;

/* How long the number, decimal or hex with 0x, is that begins there; 0: none does. */
size_t event__number_len(const char *s, size_t len);

/* Likewise "TYPE:CONFIG". */
size_t event__type_and_config_len(const char *s, size_t len);

/* The nearest name of generic and cache events; false: none is near. */
bool event__nearest(const char *name, char *out, size_t size);

/* A program or library has that function: what the sentence about an unknown event may tell. */
bool event__is_function(const struct event_parser *p, const char *path, const char *name);

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

/* "rawtracepoint:NAME"; @prefix: how long what is in front of the name is. */
int event__raw_tracepoint(struct event_parser *p, const char *text, size_t len,
			  size_t prefix) must_check;

/* "kprobe:F+OFF" and the like. */
int event__probe(struct event_parser *p, const char *text, size_t len) must_check;

#endif
