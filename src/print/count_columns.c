// SPDX-License-Identifier: BSD-2-Clause
/* The columns of a table of hits: which there are, their headings and their cells. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "print/cell.h"
#include "print/count_page.h"
#include "print/escape.h"

enum { EVENT_MAX = 24 }; /* columns of the name in a heading */

enum {
	COLUMN_PART,
	COLUMN_EVENT,	/* its name */
	COLUMN_COUNT,	/* hits of the line */
	COLUMN_HITS,	/* hits of one event */
	COLUMN_MEASURE, /* `what` of a metric */
};

static int choose_columns(struct grid *g, const struct count_page *c)
{
	const bool each = !c->by_event && c->p->nr_events > 1;
	int err = 0;

	if (c->by_event && c->p->nr_events > 1 && !c->p->names_event)
		err = grid__add(g, (struct column){ .kind = COLUMN_EVENT, .is_text = true });
	for (size_t i = 0; i < c->nr_parts && !err; i++)
		err = grid__add(g, (struct column){ .kind = COLUMN_PART,
						    .id = i,
						    .is_text = !c->parts[i].is_number });
	for (size_t i = 0; each && i < c->p->nr_events && !err; i++)
		err = grid__add(g, (struct column){ .kind = COLUMN_HITS, .id = i });
	if (!err && !each)
		err = grid__add(g, (struct column){ .kind = COLUMN_COUNT });
	for (size_t i = 0; i < c->p->nr_metrics; i++)
		for (unsigned what = 1; what < MEASURE_END && !err; what <<= 1)
			if (c->o->shown & what)
				err = grid__add(g, (struct column){ .kind = COLUMN_MEASURE,
								    .id = i,
								    .what = what });
	return err;
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

/* Into c->text. */
static int make_heading(struct count_page *c, const struct column *x)
{
	buf__clear(&c->text);
	switch (x->kind) {
	case COLUMN_PART:
		return count_page__upper(&c->text, c->parts[x->id].name);
	case COLUMN_EVENT:
		return buf__puts(&c->text, "PROBE");
	case COLUMN_COUNT:
		return buf__puts(&c->text, "COUNT");
	case COLUMN_HITS:
		return event_heading(&c->text, c->p->events[x->id].name);
	case COLUMN_MEASURE:
		return measure_heading(&c->text, &c->p->metrics[x->id], x->what);
	}
	return -EINVAL;
}

static uint64_t hits_of(const struct count_page *c, const struct line *l, size_t event)
{
	for (size_t i = 0; i < l->nr; i++) {
		const struct row *row = rows__row(&c->rows, c->p, l, i);

		if (row->key.event == event)
			return row->samples;
	}
	return 0;
}

/* Into c->text. */
static int make_cell(struct count_page *c, const struct column *x, const struct line *l)
{
	const struct row *row = rows__row(&c->rows, c->p, l, 0);
	char digits[MEASURE_DIGITS];
	struct measured m;

	if (x->kind == COLUMN_PART)
		return count_page__part(c, l, &c->parts[x->id]);
	buf__clear(&c->text);
	switch (x->kind) {
	case COLUMN_EVENT:
		return escape__plain(&c->text, c->p->events[row->key.event].name);
	case COLUMN_COUNT:
		return buf__printf(&c->text, "%" PRIu64, l->samples);
	case COLUMN_HITS:
		return buf__printf(&c->text, "%" PRIu64, hits_of(c, l, x->id));
	case COLUMN_MEASURE:
		m = rows__measured(&c->rows, c->p, l, x->id);
		measured__text(&m, x->what, 2, digits);
		return buf__puts(&c->text, digits);
	case COLUMN_PART:
		break;
	}
	return -EINVAL;
}

int count_page__put_columns(struct count_page *c)
{
	struct grid g = { .heading = make_heading, .cell = make_cell };
	int err = choose_columns(&g, c);

	if (!err)
		err = grid__put(&g, c);
	grid__free(&g);
	return err;
}
