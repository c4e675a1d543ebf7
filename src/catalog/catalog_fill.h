/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * catalog/catalog_fill.h - fills a catalog, a kind at a time, from where the kernel, the PMUs and
 * files tell what can be measured.
 *
 * All return 0 or -errno; -ENOMEM alone is without a sentence. Nothing is measured, and nothing
 * needs a permission but for what tracefs and /proc keep from others.
 */
#ifndef PMUTRACE_CATALOG_CATALOG_FILL_H
#define PMUTRACE_CATALOG_CATALOG_FILL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/catalog.h"

/*
 * @root: of /proc and /sys: "" or a fixture tree. @try: each is opened for a moment to learn
 * whether it can be, 10 to 20 us; for root = "" only.
 */
struct catalog_fill_opts {
	const char *root;
	bool try;
};

/* Hardware, software and cache events, of the kinds in @kinds (1 << CATALOG_x). */
int catalog_fill__generic(struct catalog *c, const struct catalog_fill_opts *o,
			  unsigned kinds) must_check;

/* Events that PMUs name in sysfs. A kernel that shows no PMU has none: 0. */
int catalog_fill__pmus(struct catalog *c, const struct catalog_fill_opts *o) must_check;

/* Raw codes, breakpoints, and for each PMU the terms that it takes. */
int catalog_fill__syntax(struct catalog *c, const struct catalog_fill_opts *o) must_check;

/* libpfm4's events of the PMUs found here. Without libpfm4: 0. */
int catalog_fill__vendor(struct catalog *c) must_check;

/**
 * catalog_fill__tracepoints() - what perf events can be made of, by name
 * @fields: their formats are read, too: 20 us each instead of 2
 *
 * Return: 0; -ENOENT: tracefs is not mounted; -EACCES; another -errno.
 */
int catalog_fill__tracepoints(struct catalog *c, const char *root, bool fields,
			      struct buf *why) must_check;

/*
 * Functions of the kernel that can be probed; each name and module once. On a kernel without
 * kprobes they are not supported.
 */
int catalog_fill__kernel_functions(struct catalog *c, struct buf *why) must_check;

struct lookup_reader;

/*
 * Functions and USDT probes of a file: a path or a name, as lookup__path() takes it. @reader: reads
 * it (lookup/lookup_reader.h), or NULL.
 */
int catalog_fill__functions(struct catalog *c, const char *file, struct lookup_reader *reader,
			    struct buf *why) must_check;
int catalog_fill__usdt(struct catalog *c, const char *file, struct lookup_reader *reader,
		       struct buf *why) must_check;

struct catalog_wanted {
	unsigned kinds;		      /* 1 << CATALOG_x */
	bool fields;		      /* of tracepoints */
	const char *functions, *usdt; /* the files, for CATALOG_UPROBE and CATALOG_USDT */
	struct lookup_reader *reader; /* of these: lookup/lookup_reader.h; or NULL */
};

/**
 * catalog_fill__wanted() - all of the above that is wanted
 * @o:	     its root is "" where functions of the kernel are wanted
 * @refused: appended: that tracepoints or functions could not be read, and why; the others are
 * there. NULL: that is an error.
 */
int catalog_fill__wanted(struct catalog *c, const struct catalog_fill_opts *o,
			 const struct catalog_wanted *w, struct buf *refused,
			 struct buf *why) must_check;

#endif
