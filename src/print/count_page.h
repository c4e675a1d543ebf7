/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/count_page.h - lines of hits or calls on their page: what print/count_table.c,
 * print/count_histogram.c and print/func_table.c write them with.
 */
#ifndef PMUTRACE_PRINT_COUNT_PAGE_H
#define PMUTRACE_PRINT_COUNT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "model/profile.h"
#include "print/count_table.h"
#include "print/rows.h"
#include "print/text_grid.h"
#include "print/writer.h"

enum { COUNT_PAGE_EVENTS = 4 }; /* up to so many have a headline and a column each */

struct count_page {
	/* Set by the caller of count_table__write(); the rest is zero. */
	struct writer w;
	const struct profile *p;
	const struct count_table_opts *o;
	const char *noun; /* "hit": what the samples are */
	const char *note; /* below the headlines; NULL: none */
	bool by_first; /* lines with most of the first metric come first, not those of most hits */
	/* Which columns lines have, and the cells of a line. */
	int (*add_columns)(struct count_page *c, struct text_grid *g);
	void (*add_cells)(struct count_page *c, struct text_grid *g, const struct line *l);
	void (*put_below)(struct count_page *c); /* below the columns; NULL: nothing */

	struct key_part *parts;
	size_t nr_parts;
	struct rows rows;
	size_t nr;     /* how many of its lines are shown */
	bool by_event; /* a line is of one event */
	bool has_stack;
	bool has_key; /* else the headline says already what a line would */
	struct row_stack stack;
	struct buf text; /* scratch */
};

void count_page__color(struct count_page *c, const char *attribute);

/* "12 hits", "1 hit". */
void count_page__put_number(struct count_page *c, uint64_t n);

/* The name of a field or metric as a heading. */
int count_page__upper(struct buf *b, const char *name) must_check;

/* The name of a line's event, and a part of its key; may have any character but NUL. */
const char *count_page__event(const struct count_page *c, const struct line *l);
const char *count_page__part(const struct count_page *c, const struct line *l,
			     const struct key_part *part, char digits[KEY_PART_DIGITS]);

/* The columns and cells of the parts of a line's key. */
int count_page__add_parts(struct count_page *c, struct text_grid *g) must_check;
void count_page__add_key(struct count_page *c, struct text_grid *g, const struct line *l);

/* The stack of a line's key: a line for each frame. Clears c->text. */
int count_page__put_frames(struct count_page *c, const struct line *l) must_check;

#endif
