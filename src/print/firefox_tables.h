/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/firefox_tables.h - the tables that all threads of a Firefox profile share, version 66.
 *
 * A table is an object of columns and their length. Strings, functions and stacks have the ids that
 * they have in the profile, but for the root of the stacks: a node's id is one less. The category
 * of a frame is its enum frame_kind.
 */
#ifndef PMUTRACE_PRINT_FIREFOX_TABLES_H
#define PMUTRACE_PRINT_FIREFOX_TABLES_H

#include <stddef.h>

#include "base/array.h"

struct json;
struct profile;

/* Begins a table on a line of its own. */
void columns__open(struct json *j, const char *key, size_t nr);

/* One without rows. @nr: of its columns. */
void columns__put_empty(struct json *j, const char *key, const char *const *columns, size_t nr);

/* The member "shared". 0 or -ENOMEM. */
int firefox_tables__put(struct json *j, const struct profile *p) must_check;

#endif
