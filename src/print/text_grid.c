// SPDX-License-Identifier: BSD-2-Clause
/* Lays texts out in columns: measures widths, fits them to the terminal, writes lines. */
#include "print/text_grid.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "print/cell.h"
#include "print/escape.h"

enum {
	GAP = 2,       /* blanks between columns */
	TEXT_MIN = 8,  /* a column of texts is not narrowed below this */
	WRAP_MIN = 24, /* nor is text wrapped to less */
};

static void latch(struct text_grid *g, int err)
{
	if (!g->err)
		g->err = err;
}

/* Ends the text that was just appended; one that is empty has its NUL, too. */
static void end_text(struct text_grid *g)
{
	if (!g->err)
		latch(g, buf__put(&g->texts, "", 1));
}

void text_grid__column(struct text_grid *g, const struct text_grid_column *column,
		       const char *heading)
{
	struct text_grid_column *x;

	latch(g, array__grow(&g->columns, &g->cap_columns, g->nr_columns + 1));
	if (g->err)
		return;
	x = &g->columns[g->nr_columns++];
	*x = *column;
	if (x->group && g->nr_columns > 1 && x[-1].group == x->group) {
		x->headline = x[-1].headline;
	} else if (x->group) {
		x->headline = g->texts.len;
		latch(g, escape__plain(&g->texts, x->group));
		end_text(g);
	}
	x->heading = g->texts.len;
	if (!g->err)
		latch(g, buf__puts(&g->texts, heading));
	end_text(g);
}

void text_grid__cell(struct text_grid *g, const char *s)
{
	latch(g, array__grow(&g->cells, &g->cap_cells, g->nr_cells + 1));
	if (g->err)
		return;
	g->cells[g->nr_cells++] = (struct text_grid_cell){ .at = g->texts.len };
	latch(g, (g->escape ? g->escape : escape__plain)(&g->texts, s));
	end_text(g);
}

void text_grid__vprintf(struct text_grid *g, const char *fmt, va_list ap)
{
	buf__clear(&g->raw);
	latch(g, buf__vprintf(&g->raw, fmt, ap));
	if (!g->err)
		text_grid__cell(g, g->raw.data);
}

void text_grid__printf(struct text_grid *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_grid__vprintf(g, fmt, ap);
	va_end(ap);
}

void text_grid__mark(struct text_grid *g, const char *mark)
{
	if (!g->err)
		g->cells[g->nr_cells - 1].mark = mark;
}

void text_grid__color(struct text_grid *g, const char *color)
{
	if (!g->err)
		g->cells[g->nr_cells - 1].color = color;
}

void text_grid__wrap(struct text_grid *g)
{
	if (!g->err)
		g->cells[g->nr_cells - 1].is_wrapped = true;
}

void text_grid__end_line(struct text_grid *g)
{
	while (!g->err && g->nr_cells % g->nr_columns)
		text_grid__cell(g, "");
}

size_t text_grid__nr_lines(const struct text_grid *g)
{
	return g->nr_columns ? g->nr_cells / g->nr_columns : 0;
}

static const char *text_of(const struct text_grid *g, const struct text_grid_cell *x)
{
	return g->texts.data + x->at;
}

static size_t width_of(const struct text_grid *g, const struct text_grid_cell *x)
{
	return cell__width(text_of(g, x)) + (x->mark ? strlen(x->mark) : 0);
}

static size_t gap_before(const struct text_grid *g, size_t column)
{
	if (!column || !g->columns[column].width)
		return 0;
	return g->columns[column].is_near ? 1 : GAP;
}

static bool is_fitted(const struct text_grid *g)
{
	return g->is_cut && g->width;
}

static void measure_column(struct text_grid *g, size_t column)
{
	struct text_grid_column *x = &g->columns[column];
	const size_t limit = is_fitted(g) ? x->at_most : x->pads_to;
	const size_t most = limit ? limit : SIZE_MAX;
	const size_t heading = cell__width(g->texts.data + x->heading);
	size_t content = 0;

	for (size_t i = column; i < g->nr_cells; i += g->nr_columns) {
		const size_t used = width_of(g, &g->cells[i]);

		content = used > content ? used : content;
	}
	if (!content && x->is_optional)
		return;
	content = content ? content : 1;
	content = content < most ? content : most;
	x->width = heading > content ? heading : content;
	if (x->width < x->at_least)
		x->width = x->at_least;
	if (x->is_number)
		x->floor = content > x->at_least ? content : x->at_least;
	else
		x->floor = content < TEXT_MIN ? content : TEXT_MIN;
}

/* How many columns from @i on are under one group headline; *width: of all, with their gaps. */
static size_t group_len(const struct text_grid *g, size_t i, size_t *width)
{
	const char *group = g->columns[i].group;
	size_t nr = 1;

	*width = g->columns[i].width;
	for (; group && i + nr < g->nr_columns && g->columns[i + nr].group == group; nr++)
		*width += gap_before(g, i + nr) + g->columns[i + nr].width;
	return nr;
}

/* A group headline that is wider than its columns widens the first of them. */
static void widen_groups(struct text_grid *g)
{
	size_t nr, width;

	for (size_t i = 0; i < g->nr_columns; i += nr) {
		struct text_grid_column *x = &g->columns[i];
		const size_t used = x->group ? cell__width(g->texts.data + x->headline) : 0;

		nr = group_len(g, i, &width);
		x->width += used > width ? used - width : 0;
	}
}

/* Narrows the widest column until lines fit the terminal, or none can be narrowed further. */
static void fit_columns(struct text_grid *g)
{
	size_t total = g->indent;

	for (size_t i = 0; i < g->nr_columns; i++)
		total += gap_before(g, i) + g->columns[i].width;
	for (; total > g->width; total--) {
		struct text_grid_column *widest = NULL;

		for (size_t i = 0; i < g->nr_columns; i++) {
			struct text_grid_column *x = &g->columns[i];

			if (x->width > x->floor && (!widest || x->width > widest->width))
				widest = x;
		}
		if (!widest)
			return;
		widest->width--;
	}
}

int text_grid__lay_out(struct text_grid *g)
{
	if (g->err)
		return g->err;
	for (size_t i = 0; i < g->nr_columns; i++)
		measure_column(g, i);
	widen_groups(g);
	if (is_fitted(g))
		fit_columns(g);
	return 0;
}

/* "---- time ----". Returns the columns it took. */
static size_t put_group(struct writer *w, const char *group, size_t width)
{
	const size_t used = cell__width(group);
	const size_t dashes = width >= used + 4 ? width - used - 2 : 0;

	if (!dashes)
		return cell__put(w, group, "", width);
	for (size_t i = 0; i < dashes / 2; i++)
		writer__putc(w, '-');
	writer__putc(w, ' ');
	writer__puts(w, group);
	writer__putc(w, ' ');
	for (size_t i = dashes / 2; i < dashes; i++)
		writer__putc(w, '-');
	return width;
}

static void put_groups(const struct text_grid *g, struct writer *w)
{
	size_t blanks = g->indent, nr, width, used;

	for (size_t i = 0; i < g->nr_columns; i += nr) {
		const struct text_grid_column *x = &g->columns[i];

		nr = group_len(g, i, &width);
		blanks += gap_before(g, i);
		used = 0;
		if (x->group) {
			cell__pad(w, 0, blanks);
			blanks = 0;
			used = put_group(w, g->texts.data + x->headline, width);
		}
		blanks += width - used;
	}
	writer__putc(w, '\n');
}

static bool has_groups(const struct text_grid *g)
{
	for (size_t i = 0; i < g->nr_columns; i++)
		if (g->columns[i].group)
			return true;
	return false;
}

/* Wraps @s at the terminal's width; further lines are indented. A longer word stays whole. */
static void put_wrapped(const struct text_grid *g, struct writer *w, const char *s, size_t indent)
{
	const size_t left = g->width > indent + WRAP_MIN ? g->width - indent : WRAP_MIN;
	size_t at = 0;

	while (*s) {
		const size_t len = strcspn(s, " ");
		const size_t used = cell__columns(s, len);

		if (at && g->width && at + 1 + used > left) {
			writer__putc(w, '\n');
			cell__pad(w, 0, indent);
			at = 0;
		} else if (at) {
			writer__putc(w, ' ');
			at++;
		}
		writer__put(w, s, len);
		at += used;
		s += len;
		s += *s == ' ';
	}
}

/* Where a line is that is being written: in columns of the terminal. */
struct place {
	size_t at;   /* written up to there */
	size_t next; /* where the next column's gap begins */
};

static void put_text(const struct text_grid *g, struct writer *w, struct place *p, size_t column,
		     const struct text_grid_cell *cell)
{
	const struct text_grid_column *x = &g->columns[column];
	const size_t used = width_of(g, cell);
	const bool color = g->color && cell->color;
	size_t most = CELL_LONG, begin = p->next + gap_before(g, column);

	p->next = begin + x->width;
	if (!used || !x->width)
		return;
	if (x->is_number && used < x->width)
		begin += x->width - used;
	cell__pad(w, p->at, begin);
	p->at = begin;
	if (!g->is_cut)
		most = 0;
	else if (g->width)
		most = x->width;
	writer__puts(w, color ? cell->color : "");
	if (cell->is_wrapped)
		put_wrapped(g, w, text_of(g, cell), begin);
	else
		p->at += cell__put(w, text_of(g, cell), cell->mark ? cell->mark : "", most);
	writer__puts(w, color ? CELL_PLAIN : "");
	p->next = p->at > p->next ? p->at : p->next;
}

void text_grid__put_headings(const struct text_grid *g, struct writer *w)
{
	struct place p = { .next = g->indent };

	writer__puts(w, g->color ? CELL_BOLD : "");
	if (has_groups(g))
		put_groups(g, w);
	for (size_t i = 0; i < g->nr_columns; i++)
		put_text(g, w, &p, i, &(struct text_grid_cell){ .at = g->columns[i].heading });
	writer__puts(w, g->color ? CELL_PLAIN : "");
	writer__putc(w, '\n');
}

void text_grid__put_line(const struct text_grid *g, struct writer *w, size_t line)
{
	struct place p = { .next = g->indent };

	for (size_t i = 0; i < g->nr_columns; i++)
		put_text(g, w, &p, i, &g->cells[line * g->nr_columns + i]);
	writer__putc(w, '\n');
}

void text_grid__free(struct text_grid *g)
{
	free(g->columns);
	free(g->cells);
	buf__free(&g->texts);
	buf__free(&g->raw);
	*g = (struct text_grid){
		.width = g->width,
		.indent = g->indent,
		.color = g->color,
		.is_cut = g->is_cut,
		.escape = g->escape,
	};
}
