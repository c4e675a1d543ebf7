/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/unwind_tables.h - the tables that programs have: which files share one, and which one
 * gives way when there is no room for another.
 *
 * Files with the same contents have one table, by whichever paths they are known: tables are
 * compared, not names or build-ids, which anybody can give to a file.
 *
 * A table is in use as long as a process maps a file of it. One in use stays. Of the others, those
 * that have been out of use for longest give way, as many as are needed.
 */
#ifndef PMUTRACE_COLLECT_UNWIND_TABLES_H
#define PMUTRACE_COLLECT_UNWIND_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "object/unwind_maps.h"
#include "unwind/table.h"

struct shared_table {
	uint32_t life; /* a number that no other table has; 0: the place is free */
	struct unwind_file where;
	struct unwind_segment segments[UNWIND_SEGMENTS];
	uint32_t nr_segments;
	uint64_t base;	   /* address in the file's terms at which its pages begin */
	uint32_t nr_users; /* mappings of processes */
	uint64_t left_at;  /* grows: when the last of these went */
};

struct unwind_tables {
	struct unwind_maps *maps;
	struct shared_table *all;
	size_t nr, cap;
	uint32_t nr_lives;
	uint64_t nr_left; /* how often a table came out of use: there may be room now */
	uint64_t nr_shared, nr_evicted;
};

/* A table as a file refers to it. All 0: none. */
struct table_ref {
	uint32_t place, life;
};

/* @maps: borrowed. */
void unwind_tables__init(struct unwind_tables *t, struct unwind_maps *maps);
void unwind_tables__end(struct unwind_tables *t);

/*
 * Puts a file's table there, of which @nr_users mappings make use. 0; -ENOSPC: there is no room
 * beside what is in use, and nothing has given way; -ENOMEM.
 */
int unwind_tables__put(struct unwind_tables *t, const struct unwind_table *table, uint32_t nr_users,
		       struct table_ref *out) must_check;

/* NULL: it has given way. Until the next call that puts one. */
const struct shared_table *unwind_tables__get(const struct unwind_tables *t,
					      const struct table_ref *ref);

/* A mapping makes use of it from now on; does so no more. One that has given way: nothing. */
void unwind_tables__use(struct unwind_tables *t, const struct table_ref *ref);
void unwind_tables__leave(struct unwind_tables *t, const struct table_ref *ref);

/*
 * May a table of so many rows find room now? Rows of a page lie together, so that what has not
 * found it needs more than there was: unwind_tables__room(), of rows.
 */
bool unwind_tables__has_room(const struct unwind_tables *t, uint32_t nr_rows, uint32_t nr_pages);
uint64_t unwind_tables__room(const struct unwind_tables *t);

#endif
