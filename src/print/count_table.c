// SPDX-License-Identifier: BSD-2-Clause
/* The page around lines of hits or calls, and the columns of lines of hits. */
#include "print/count_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "print/cell.h"
#include "print/count_histogram.h"
#include "print/count_page.h"
#include "print/escape.h"
#include "print/lossline.h"

enum { EVENT_MAX = 24 }; /* columns of an event's name in a heading */

static void put_rest(struct count_page *c, size_t nr, uint64_t samples)
{
	if (!nr)
		return;
	writer__printf(&c->w, "… and %zu more: ", nr);
	count_page__put_number(c, samples);
	writer__putc(&c->w, '\n');
}

static int put_headlines(struct count_page *c)
{
	const double seconds = (double)c->p->duration_ns / 1e9;
	uint64_t rest = 0;
	int err = 0;

	for (size_t i = 0; i < c->p->nr_events && !err; i++) {
		const struct profile_event *e = &c->p->events[i];

		if (i >= COUNT_PAGE_EVENTS) {
			rest += e->samples;
			continue;
		}
		buf__clear(&c->text);
		err = escape__plain(&c->text, *e->name ? e->name : "?");
		if (err)
			break;
		count_page__color(c, CELL_BOLD);
		cell__put(&c->w, c->text.data, "", CELL_LONG);
		count_page__color(c, CELL_PLAIN);
		writer__puts(&c->w, ": ");
		if (e->is_member)
			writer__printf(&c->w, "%" PRIu64 " counted at the samples of %s", e->weight,
				       e->leader);
		else
			count_page__put_number(c, e->samples);
		if (c->p->duration_ns)
			writer__printf(&c->w, ", %.2f s", seconds);
		writer__putc(&c->w, '\n');
	}
	if (c->p->nr_events > COUNT_PAGE_EVENTS)
		put_rest(c, c->p->nr_events - COUNT_PAGE_EVENTS, rest);
	if (c->note) {
		writer__puts(&c->w, c->note);
		writer__putc(&c->w, '\n');
	}
	writer__putc(&c->w, '\n');
	return err;
}

static void put_more(struct count_page *c)
{
	uint64_t rest = 0;

	for (size_t i = c->nr; i < c->rows.nr; i++)
		rest += c->rows.lines[i].samples;
	put_rest(c, c->rows.nr - c->nr, rest);
}

/* Lines in columns, each with its frames below it. */
static int put_grid(struct count_page *c)
{
	struct text_grid g = { .width = c->o->width, .color = c->o->color, .is_cut = true };
	int err = c->add_columns(c, &g);

	for (size_t i = 0; i < c->nr && !err; i++) {
		c->add_cells(c, &g, &c->rows.lines[i]);
		text_grid__end_line(&g);
	}
	if (!err)
		err = text_grid__lay_out(&g);
	if (!err)
		text_grid__put_headings(&g, &c->w);
	for (size_t i = 0; i < c->nr && !err; i++) {
		if (i && c->has_stack)
			writer__putc(&c->w, '\n');
		text_grid__put_line(&g, &c->w, i);
		if (c->has_stack)
			err = count_page__put_frames(c, &c->rows.lines[i]);
	}
	if (!err && c->put_below)
		c->put_below(c);
	text_grid__free(&g);
	return err;
}

static int put_lines(struct count_page *c)
{
	int err = 0;

	if (!c->rows.nr)
		return 0;
	if (rows__bucket_field(c->p) >= 0)
		err = count_histogram__put_all(c);
	else if (c->has_key)
		err = put_grid(c);
	else
		return 0;
	put_more(c);
	writer__putc(&c->w, '\n');
	return err;
}

static int put_losses(struct count_page *c)
{
	char what[16];
	int err;

	snprintf(what, sizeof(what), "%ss", c->noun);
	buf__clear(&c->text);
	err = print__loss_line(&c->text, what, &c->p->losses);
	if (err)
		return err;
	writer__put(&c->w, c->text.data, c->text.len);
	writer__putc(&c->w, '\n');
	return 0;
}

static int group_lines(struct count_page *c)
{
	const struct profile *p = c->p;
	int err;

	c->has_stack = p->by & (BY_KSTACK | BY_USTACK);
	c->by_event = rows__are_by_event(p) || p->names_event || p->nr_events > COUNT_PAGE_EVENTS ||
		      (!c->nr_parts && !c->has_stack);
	c->has_key = c->nr_parts || c->has_stack || p->nr_events > 1 ||
		     (p->nr_metrics && (c->o->shown || c->by_first));
	err = rows__group(&c->rows, p, c->by_event);
	if (!err && c->by_first)
		rows__sort(&c->rows, p, 0);
	c->nr = c->o->rows && c->o->rows < c->rows.nr ? c->o->rows : c->rows.nr;
	return err;
}

int count_table__write(struct count_page *c)
{
	int err = key_parts__new(&c->parts, &c->nr_parts, c->p), end;

	if (!err)
		err = group_lines(c);
	if (!err)
		err = put_headlines(c);
	if (!err)
		err = put_lines(c);
	if (!err)
		err = put_losses(c);
	end = writer__end(&c->w);
	rows__free(&c->rows);
	row_stack__free(&c->stack);
	buf__free(&c->text);
	free(c->parts);
	return err ? err : end;
}

/* A long name loses its beginning, as its end tells more: "…s:sys_enter_openat_by_handle". */
static int event_heading(struct buf *b, const char *name)
{
	struct buf plain = {};
	int err = escape__plain(&plain, *name ? name : "?");
	const char *s = plain.data;

	if (!err && cell__width(s) > EVENT_MAX) {
		while (cell__width(s) >= EVENT_MAX)
			for (s++; (*s & 0xc0) == 0x80;)
				s++;
		err = buf__puts(b, "…");
	}
	if (!err)
		err = buf__puts(b, s);
	buf__free(&plain);
	return err;
}

/* "AVG(bytes)", "SUM(time, ns)". */
static int measure_heading(struct buf *b, const struct profile_metric *m, enum measure what)
{
	int err = count_page__upper(b, measure__name(what));

	if (!err)
		err = buf__puts(b, "(");
	if (!err)
		err = escape__plain(b, m->name);
	if (!err && *m->unit)
		err = buf__puts(b, ", ");
	if (!err)
		err = escape__plain(b, m->unit);
	return err ? err : buf__puts(b, ")");
}

/* Each event has a column with its hits, unless lines are of one event. */
static bool has_columns_of_events(const struct count_page *c)
{
	return !c->by_event && c->p->nr_events > 1;
}

static int add_event_columns(struct count_page *c, struct text_grid *g)
{
	const struct text_grid_column number = { .is_number = true };
	int err = 0;

	if (!has_columns_of_events(c))
		text_grid__column(g, &number, "COUNT");
	for (size_t i = 0; has_columns_of_events(c) && i < c->p->nr_events && !err; i++) {
		buf__clear(&c->text);
		err = event_heading(&c->text, c->p->events[i].name);
		if (!err)
			text_grid__column(g, &number, c->text.data);
	}
	return err;
}

static int add_columns(struct count_page *c, struct text_grid *g)
{
	int err;

	if (c->by_event && c->p->nr_events > 1 && !c->p->names_event)
		text_grid__column(g, &(struct text_grid_column){ .pads_to = CELL_PADDED }, "PROBE");
	err = count_page__add_parts(c, g);
	if (!err)
		err = add_event_columns(c, g);
	for (size_t i = 0; i < c->p->nr_metrics; i++)
		for (unsigned what = 1; what < MEASURE_END && !err; what <<= 1) {
			if (!(c->o->shown & what))
				continue;
			buf__clear(&c->text);
			err = measure_heading(&c->text, &c->p->metrics[i], what);
			if (!err)
				text_grid__column(g,
						  &(struct text_grid_column){ .is_number = true },
						  c->text.data);
		}
	return err;
}

static uint64_t hits_of(const struct count_page *c, const struct line *l, size_t event)
{
	for (size_t i = 0; i < l->nr; i++) {
		const struct row *row = rows__row(&c->rows, c->p, l, i);

		if (row->key.event == event)
			return c->p->events[event].is_member ? row->weight : row->samples;
	}
	return 0;
}

static void add_cells(struct count_page *c, struct text_grid *g, const struct line *l)
{
	char digits[MEASURE_DIGITS];

	if (c->by_event && c->p->nr_events > 1 && !c->p->names_event)
		text_grid__cell(g, count_page__event(c, l));
	count_page__add_key(c, g, l);
	if (!has_columns_of_events(c))
		text_grid__printf(g, "%" PRIu64, l->samples);
	for (size_t i = 0; has_columns_of_events(c) && i < c->p->nr_events; i++)
		text_grid__printf(g, "%" PRIu64, hits_of(c, l, i));
	for (size_t i = 0; i < c->p->nr_metrics; i++) {
		const struct measured m = rows__measured(&c->rows, c->p, l, i);

		for (unsigned what = 1; what < MEASURE_END; what <<= 1) {
			if (!(c->o->shown & what))
				continue;
			measured__text(&m, what, 2, digits);
			text_grid__cell(g, digits);
		}
	}
}

int print__count_table(FILE *f, const struct profile *p, const struct count_table_opts *o)
{
	struct count_page c = {
		.w = { .f = f },
		.p = p,
		.o = o,
		.noun = o->noun ? o->noun : "hit",
		.add_columns = add_columns,
		.add_cells = add_cells,
	};

	return count_table__write(&c);
}
