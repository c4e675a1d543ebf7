/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/tracepoint.h - the kernel's tracepoints: which there are, their ids, their records.
 *
 * @tracefs is what tracefs__find() gave. Names never contain '/' nor start with '.': with such
 * ones every function here returns -EINVAL. An id is perf_event_attr.config of
 * PERF_TYPE_TRACEPOINT; it lasts until the next boot, those of modules and probes until these are
 * gone. Source: Documentation/trace/events.rst; f_show() in kernel/trace/trace_events.c.
 */
#ifndef PMUTRACE_EVENT_TRACEPOINT_H
#define PMUTRACE_EVENT_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

/**
 * tracepoint__id() - the id of a tracepoint
 * @why: on error, a sentence; for an unknown one with the nearest that exists
 *
 * Return: 0; -ENOENT: there is none; -EACCES: not for this user; -EINVAL; another -errno.
 */
int tracepoint__id(const char *tracefs, const char *category, const char *name, uint32_t *id,
		   struct buf *why) must_check;

/*
 * The sentence for one that is not there, with the nearest that is: of the category, else of the
 * nearest category, else of that name elsewhere. -ENOENT, or why it cannot be told.
 */
int tracepoint__explain_unknown(const char *tracefs, const char *category, const char *name,
				struct buf *why) must_check;

/*
 * Appends what may have been meant by a tracepoint's name without its category, "; did you mean
 * sched:sched_switch?", or nothing. "openat" are those of that system call. 0 or -ENOMEM.
 */
int tracepoint__suggest(const char *tracefs, const char *name, struct buf *why) must_check;

struct tracepoint_name {
	char *category; /* "sched"; the allocation that holds both */
	char *name;	/* "sched_switch" */
};

/**
 * tracepoints__list() - what perf events can be made of, sorted by category, then by name
 * @pattern: "CATEGORY:NAME", both globs as in base/glob.h; NULL: all
 *
 * Return: 0, also if none matches; -EINVAL: no pattern of that form; -E2BIG: a glob is too long;
 * -EACCES; another -errno.
 */
int tracepoints__list(const char *tracefs, const char *pattern, struct tracepoint_name **out,
		      size_t *nr) must_check;
void tracepoint_names__free(struct tracepoint_name *names, size_t nr);

/*
 * One member of the record. "char comm[16]" is of type "char" and an array of 16 bytes;
 * "__data_loc char[] filename" is of type "char", an array, and dynamic: in the record are 4 bytes,
 * the length << 16 | where it begins, counted from the record's start, or from the end of these 4
 * bytes if it is relative (__rel_loc).
 */
struct tracepoint_field {
	char *name;	 /* owned, as is type */
	char *type;	 /* without brackets and location: "const char *" */
	uint32_t offset; /* in the record, in bytes; offset + size fits 32 bits */
	uint32_t size;	 /* bytes; of the whole array; 0: it goes on to the record's end */
	bool is_signed;
	bool is_array;
	bool is_dynamic;
	bool is_relative; /* only if dynamic */
	bool common;	  /* all tracepoints have it */
};

struct tracepoint_format {
	char *name; /* without the category; owned, as is all else */
	uint32_t id;
	struct tracepoint_field *fields; /* in the kernel's order */
	size_t nr;
	char *print; /* printf's format and arguments in C, or NULL */
};

enum { TRACEPOINT_TEXT_MAX = 1 << 20, TRACEPOINT_FIELDS_MAX = 1024 };

/**
 * tracepoint_format__parse() - read the text of a `format` file
 * @out: overwritten; to be freed after 0, zeroed on error
 *
 * Lines of an unknown kind are passed over. Return: 0; -EINVAL: not of that form, or numbers out
 * of range; -E2BIG: more text or fields than the limits above; -ENOMEM.
 */
int tracepoint_format__parse(const char *text, size_t len,
			     struct tracepoint_format *out) must_check;
void tracepoint_format__free(struct tracepoint_format *f);

/* The format of a tracepoint: errors and @why as of tracepoint__id(). */
int tracepoint__format(const char *tracefs, const char *category, const char *name,
		       struct tracepoint_format *out, struct buf *why) must_check;

#endif
