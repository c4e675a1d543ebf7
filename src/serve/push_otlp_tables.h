/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/push_otlp_tables.h - the dictionary of an OTLP request: strings, attributes, mappings,
 * functions, locations and stacks, each made when it is first referred to, and once.
 *
 * Entry 0 of each table says nothing. All memory is the arena's, or the profile's.
 */
#ifndef PMUTRACE_SERVE_PUSH_OTLP_TABLES_H
#define PMUTRACE_SERVE_PUSH_OTLP_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/strtab.h"
#include "base/trie.h"
#include "model/tuples.h"
#include "print/pprof_mappings.h"
#include "proto/otlp_profiles.pb-c.h"

struct profile;

/* Pointers to messages, as protobuf-c wants them. */
struct otlp_table {
	void **items;
	size_t nr, cap;
};

/* Zero-initialise it. */
struct otlp_tables {
	const struct profile *p; /* borrowed */
	struct arena arena;
	int err; /* the first one; what is made after it is nothing */

	struct otlp_table mappings, locations, functions, links, strings, attributes, stacks;

	/* Private. */
	struct strtab *texts;  /* ids are indices of strings */
	struct strtab *values; /* of attributes */
	struct tuples attribute_keys, function_keys;
	struct pprof_mappings files;
	uint32_t *mapping_of;  /* by number of a file: index, or 0 */
	struct trie frames;    /* of a location, the outermost first */
	uint32_t *location_of; /* by node of that: index */
	size_t cap_locations;
	struct trie lists;  /* of a stack's locations, the outermost first */
	uint32_t *stack_of; /* by node of that: index, or 0 */
	size_t cap_stacks;
	uint32_t *chain; /* frames of the stack that is made */
	size_t cap_chain;
};

/* otlp_tables__end() in any case. */
void otlp_tables__begin(struct otlp_tables *t, const struct profile *p);
void otlp_tables__end(struct otlp_tables *t);

/* Zeroed memory of the arena; NULL: t->err is set. */
void *otlp_tables__alloc(struct otlp_tables *t, size_t bytes);

/* Appends a message to a table; its index. */
int32_t otlp_table__add(struct otlp_tables *t, struct otlp_table *table, void *message);

/* Indices. */
int32_t otlp_tables__string(struct otlp_tables *t, const char *text);
int32_t otlp_tables__text(struct otlp_tables *t, const char *key, const char *value);
int32_t otlp_tables__number(struct otlp_tables *t, const char *key, int64_t value);
int32_t otlp_tables__stack(struct otlp_tables *t, uint32_t node);

/* A stack of one frame that is no code: "[lost: table_full]". */
int32_t otlp_tables__note(struct otlp_tables *t, const char *name);

/* @d: the tables as they are now, borrowed. */
void otlp_tables__fill(const struct otlp_tables *t, Otlp__ProfilesDictionary *d);

#endif
