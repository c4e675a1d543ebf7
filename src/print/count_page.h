/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/count_page.h - what the parts of print/count_table.h and print/func_table.h share; nobody
 * else includes it:
 *	count_table.c		the page: headlines, frames, what is not shown, losses
 *	count_grid.c		lines in columns
 *	count_columns.c		which columns hits have
 *	count_histogram.c	lines with histograms
 *	func_table.c		which columns calls have
 */
#ifndef PMUTRACE_PRINT_COUNT_PAGE_H
#define PMUTRACE_PRINT_COUNT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "model/profile.h"
#include "print/count_table.h"
#include "print/key_part.h"
#include "print/rows.h"
#include "print/writer.h"

enum { COUNT_PAGE_EVENTS = 4 }; /* up to so many have a headline and a column each */

struct count_page {
	struct writer w;
	const struct profile *p;
	const struct count_table_opts *o;
	const char *noun; /* "hit": what the samples are */
	const char *note; /* below the headlines; NULL: none */
	/* All lines, in columns. */
	int (*put_columns)(struct count_page *c);
	bool by_first; /* lines with most of the first metric come first, not those of most hits */
	struct key_part *parts;
	size_t nr_parts;
	struct rows rows;
	size_t nr;     /* how many of its lines are shown */
	bool by_event; /* a line is of one event */
	bool has_stack;
	bool has_key; /* else the headline says already what a line would */
	struct row_stack stack;
	struct buf text;
};

void count_page__color(struct count_page *c, const char *attribute);

/* The name of a field or metric as a heading. */
int count_page__upper(struct buf *b, const char *name) must_check;

/* A part of a line's key, safe for a terminal, in c->text. */
int count_page__part(struct count_page *c, const struct line *l,
		     const struct key_part *part) must_check;

/* The stack of a line's key. */
int count_page__put_frames(struct count_page *c, const struct line *l) must_check;

/* Writes the page. The caller sets w, p, o, and noun to by_first; the rest is zero. */
int count_page__write(struct count_page *c) must_check;

/* "12 hits", "1 hit". */
void count_page__put_number(struct count_page *c, uint64_t n);

/* Lines of hits: the put_columns of count_table.h. */
int count_page__put_columns(struct count_page *c) must_check;

/* A column of a grid. kind, id and what tell the grid's heading() and cell() which one it is. */
struct column {
	int kind;
	size_t id;
	unsigned what;
	bool is_text;
	const char *group;   /* headline over neighbours that have the same one; NULL: none */
	size_t width, least; /* set by grid__put(); least: not narrowed below this */
};

/* All lines in columns. Both functions write to c->text. */
struct grid {
	int (*heading)(struct count_page *c, const struct column *x);
	int (*cell)(struct count_page *c, const struct column *x, const struct line *l);
	struct column *by;
	size_t nr, cap;
};

int grid__add(struct grid *g, struct column column) must_check;
int grid__put(struct grid *g, struct count_page *c) must_check;
void grid__free(struct grid *g);

/* All lines, each with its histogram. */
int count_page__put_histograms(struct count_page *c) must_check;

#endif
