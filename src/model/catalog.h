/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/catalog.h - what can be measured: events, tracepoints, functions, static probes.
 *
 * A name is what -e takes. A catalog keeps only what its pattern matches, so that sources hand it
 * everything they have.
 * Does not know: where entries come from (catalog/catalog_fill.h), what an event's name means.
 */
#ifndef PMUTRACE_MODEL_CATALOG_H
#define PMUTRACE_MODEL_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/glob.h"

/* In the order in which they are shown. */
enum catalog_kind {
	CATALOG_HARDWARE,
	CATALOG_SOFTWARE,
	CATALOG_CACHE,
	CATALOG_PMU,	/* named in sysfs */
	CATALOG_SYNTAX, /* a form that stands for many: raw codes, terms, breakpoints */
	CATALOG_VENDOR,
	CATALOG_TRACEPOINT,
	CATALOG_KPROBE,
	CATALOG_UPROBE,
	CATALOG_USDT,
	CATALOG_NR,
};

/* Of opening it here and now. */
enum catalog_state {
	CATALOG_UNKNOWN, /* not tried, or no answer */
	CATALOG_OPENS,
	CATALOG_NOT_SUPPORTED,
	CATALOG_NO_PERMISSION,
};

/* One member of a tracepoint's record. */
struct catalog_field {
	const char *name, *type; /* type: as in C, "char[16]" */
	uint32_t offset, size;	 /* bytes; size 0: it goes on to the record's end */
	bool is_signed;
	bool common; /* all tracepoints have it */
};

/* Strings that may be NULL are so where there is nothing to say. */
struct catalog_entry {
	enum catalog_kind kind;
	const char *name;
	const char *alias;    /* another name, or NULL */
	const char *group;    /* PMU, category, kernel module or file; or NULL */
	const char *text;     /* what it counts, some words; or NULL */
	const char *encoding; /* what the kernel is told: "type=0 config=0x1"; or NULL */
	const char *unit;     /* of the value: "ns", "MiB"; "" */
	enum catalog_state state;
	/* Those of all entries are in one array of the catalog. */
	size_t first_field, nr_fields;
};

/* Which names are meant. */
struct catalog_pattern {
	const char *text; /* as written, borrowed; NULL: all */
	bool has_glob;	  /* else it is a part of the name */
	struct glob glob;
};

/**
 * catalog_pattern__compile() - case aside, a glob for all of a name, or else a part of it
 * @text: "*" and "?" make it a glob; NULL: everything matches. Borrowed
 *
 * A glob may also match what is behind any ':' of the name, or, of "PMU/EVENT/", EVENT alone.
 * "" matches nothing. Return: 0; -E2BIG: the glob is too long.
 */
int catalog_pattern__compile(struct catalog_pattern *p, const char *text) must_check;
bool catalog_pattern__matches(const struct catalog_pattern *p, const char *name);

struct strtab;

struct catalog {
	struct strtab *strings;
	struct catalog_pattern pattern;
	struct catalog_entry *items;
	size_t nr, cap;
	struct catalog_field *fields;
	size_t nr_fields, cap_fields;
	/* Not in the list, because there are so many and nobody asked; by kind. */
	size_t nr_omitted[CATALOG_NR];
};

/* @pattern: copied. 0 or -ENOMEM; to be freed in any case. */
int catalog__init(struct catalog *c, const struct catalog_pattern *pattern) must_check;
void catalog__free(struct catalog *c);

/*
 * Adds a copy of the entry, strings and all, if its name or its alias matches. Fields are added to
 * the last entry afterwards. 0 or -ENOMEM.
 */
int catalog__add(struct catalog *c, const struct catalog_entry *e) must_check;

/* The same for one that is known to match. */
int catalog__put(struct catalog *c, const struct catalog_entry *e) must_check;
int catalog__add_field(struct catalog *c, const struct catalog_field *f) must_check;

/* By kind, then by name. */
void catalog__sort(struct catalog *c);

/* "hardware", "tracepoint", ..: part of the interface. */
const char *catalog_kind__name(enum catalog_kind kind);

/* "hw", "sw", "tracepoints" and the like, and the names above; false if it is none. */
bool catalog_kind__parse(const char *word, size_t len, enum catalog_kind *out);

/* "opens", "not-supported", "no-permission": part of the interface; NULL: unknown. */
const char *catalog_state__name(enum catalog_state state);

#endif
