// SPDX-License-Identifier: BSD-2-Clause
/* Lays lines out in columns: measures widths, fits them to the terminal, writes them. */
#include <errno.h>
#include <stdlib.h>

#include "print/cell.h"
#include "print/count_page.h"
#include "print/escape.h"

enum {
	GAP = 2,      /* blanks between columns */
	TEXT_MIN = 8, /* not cut further than this */
};

int grid__add(struct grid *g, struct column column)
{
	int err = array__grow(&g->by, &g->cap, g->nr + 1);

	if (!err)
		g->by[g->nr++] = column;
	return err;
}

/* How many columns from @i on are under one group headline; *width: of all, with their gaps. */
static size_t group_len(const struct grid *g, size_t i, size_t *width)
{
	size_t nr = 1;

	*width = g->by[i].width;
	for (; g->by[i].group && i + nr < g->nr && g->by[i + nr].group == g->by[i].group; nr++)
		*width += GAP + g->by[i + nr].width;
	return nr;
}

static bool has_groups(const struct grid *g)
{
	for (size_t i = 0; i < g->nr; i++)
		if (g->by[i].group)
			return true;
	return false;
}

/* A group headline that is wider than its columns widens the first of them. */
static void widen_groups(struct grid *g)
{
	size_t nr, width;

	for (size_t i = 0; i < g->nr; i += nr) {
		nr = group_len(g, i, &width);
		if (g->by[i].group && cell__width(g->by[i].group) > width)
			g->by[i].width += cell__width(g->by[i].group) - width;
	}
}

/* Numbers are never cut, their headings may be. */
static void fit_columns(struct grid *g, size_t width)
{
	size_t total = GAP * (g->nr - 1);

	for (size_t i = 0; i < g->nr; i++)
		total += g->by[i].width;
	for (; total > width; total--) {
		struct column *widest = NULL;

		for (size_t i = 0; i < g->nr; i++) {
			struct column *x = &g->by[i];

			if (x->width > x->least && (!widest || x->width > widest->width))
				widest = x;
		}
		if (!widest)
			return;
		widest->width--;
	}
}

static int measure_columns(struct grid *g, struct count_page *c)
{
	int err = 0;

	for (size_t i = 0; i < g->nr && !err; i++) {
		struct column *x = &g->by[i];
		size_t content = 1, heading;

		for (size_t j = 0; j < c->nr && !err; j++) {
			size_t used = 0;

			err = g->cell(c, x, &c->rows.lines[j]);
			if (!err)
				used = cell__width(c->text.data);
			content = used > content ? used : content;
		}
		if (!err)
			err = g->heading(c, x);
		if (err)
			break;
		heading = cell__width(c->text.data);
		x->width = heading > content ? heading : content;
		x->least = x->is_text && content > TEXT_MIN ? TEXT_MIN : content;
	}
	for (size_t i = 0; i < g->nr && !c->o->width; i++)
		if (g->by[i].is_text && g->by[i].width > CELL_PADDED)
			g->by[i].width = CELL_PADDED;
	widen_groups(g);
	if (!err && c->o->width)
		fit_columns(g, c->o->width);
	return err;
}

/* "---- time ----" over its columns. */
static int put_groups(const struct grid *g, struct count_page *c)
{
	size_t blanks = 0, nr, width;

	for (size_t i = 0; i < g->nr; i += nr) {
		const char *group = g->by[i].group;
		size_t used, dashes;

		nr = group_len(g, i, &width);
		blanks += i ? GAP : 0;
		if (!group) {
			blanks += width;
			continue;
		}
		buf__clear(&c->text);
		if (escape__plain(&c->text, group))
			return -ENOMEM;
		used = cell__width(c->text.data);
		dashes = width >= used + 4 ? width - used - 2 : 0;
		cell__pad(&c->w, 0, blanks);
		blanks = 0;
		for (size_t n = 0; n < dashes / 2; n++)
			writer__putc(&c->w, '-');
		writer__puts(&c->w, dashes ? " " : "");
		used = cell__put(&c->w, c->text.data, "", width);
		writer__puts(&c->w, dashes ? " " : "");
		for (size_t n = dashes / 2; n < dashes; n++)
			writer__putc(&c->w, '-');
		if (!dashes)
			blanks = width - used;
	}
	writer__putc(&c->w, '\n');
	return 0;
}

/* Text to the left, numbers to the right; a line does not end in blanks. */
static void put_cell(const struct grid *g, struct count_page *c, size_t i)
{
	const struct column *x = &g->by[i];
	size_t used = cell__width(c->text.data);

	if (i)
		cell__pad(&c->w, 0, GAP);
	if (!x->is_text)
		cell__pad(&c->w, used, x->width);
	used = cell__put(&c->w, c->text.data, "", c->o->width ? x->width : CELL_LONG);
	if (x->is_text && i + 1 < g->nr)
		cell__pad(&c->w, used, x->width);
}

static int put_heading(const struct grid *g, struct count_page *c)
{
	int err = 0;

	count_page__color(c, CELL_BOLD);
	if (has_groups(g))
		err = put_groups(g, c);
	for (size_t i = 0; i < g->nr && !err; i++) {
		err = g->heading(c, &g->by[i]);
		if (!err)
			put_cell(g, c, i);
	}
	count_page__color(c, CELL_PLAIN);
	writer__putc(&c->w, '\n');
	return err;
}

static int put_line(const struct grid *g, struct count_page *c, const struct line *l)
{
	int err = 0;

	for (size_t i = 0; i < g->nr && !err; i++) {
		err = g->cell(c, &g->by[i], l);
		if (!err)
			put_cell(g, c, i);
	}
	writer__putc(&c->w, '\n');
	if (!err && c->has_stack)
		err = count_page__put_frames(c, l);
	return err;
}

int grid__put(struct grid *g, struct count_page *c)
{
	int err = measure_columns(g, c);

	if (!err)
		err = put_heading(g, c);
	for (size_t i = 0; i < c->nr && !err; i++) {
		if (i && c->has_stack)
			writer__putc(&c->w, '\n');
		err = put_line(g, c, &c->rows.lines[i]);
	}
	return err;
}

void grid__free(struct grid *g)
{
	free(g->by);
}
