/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/described.h - functions and their rows in any order, as they are found, and the table that
 * they make (unwind/table.h): rows by address, cut into pages.
 */
#ifndef PMUTRACE_UNWIND_DESCRIBED_H
#define PMUTRACE_UNWIND_DESCRIBED_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/pages.h"
#include "unwind/rules.h"
#include "unwind/table.h"

/*
 * A table may have so many, however little is described: 64 MB of Go's code may lie between what
 * C's linker adds.
 */
enum { DESCRIBED_PAGES = 8192 };

struct described {
	uint64_t start, end;
	uint32_t first, nr; /* rows */
};

/* From here on: bytes into the function. */
struct described_row {
	uint32_t at, rule;
};

/* Zero-initialise it, but for max_rows. */
struct described_code {
	struct described *functions;
	size_t nr_functions, cap_functions;
	size_t nr_sorted; /* the first ones of these */
	struct described_row *rows;
	size_t nr_rows, cap_rows;
	size_t max_rows;
};

/* @bytes: of an .eh_frame that is going to be read: room for what such have, if there is memory. */
void described__expect(struct described_code *c, size_t bytes);

/* A function without rows yet: those that are added next are its own. 0 or -ENOMEM. */
int described__add_function(struct described_code *c, uint64_t start, uint64_t end) must_check;

/* @at: bytes into its function. 0; -E2BIG: more than max_rows; -ENOMEM. */
static inline must_check int described__add_row(struct described_code *c, uint64_t at,
						uint32_t rule)
{
	int err;

	if (c->nr_rows >= c->max_rows)
		return -E2BIG;
	err = pages__grow(&c->rows, &c->cap_rows, c->nr_rows + 1);
	if (!err)
		c->rows[c->nr_rows++] = (struct described_row){ (uint32_t)at, rule };
	return err;
}

/* The function that was added last begins a byte earlier. */
void described__begin_early(struct described_code *c);

/* Functions by address. 0 or -ENOMEM. */
int described__sort(struct described_code *c) must_check;

/*
 * Rows and pages of @t: of functions that overlap the one that begins first counts. They are
 * sorted, and there is one. 0; -E2BIG: more than max_rows, or code that is strewn over its
 * addresses; -ENOMEM.
 */
int described__write(const struct described_code *c, const struct unwind_rules *rules,
		     struct unwind_table *t) must_check;
void described__free(struct described_code *c);

#endif
