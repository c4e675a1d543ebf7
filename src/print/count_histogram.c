// SPDX-License-Identifier: BSD-2-Clause
/* Writes lines with a histogram each: key, frames, then a bar for each range. */
#include "print/count_histogram.h"

#include <inttypes.h>
#include <string.h>

#include "print/cell.h"
#include "print/count_page.h"
#include "print/escape.h"
#include "print/range.h"

enum {
	BAR_MAX = 40,
	BAR_MIN = 8,
	GAP_MAX = 16, /* empty ranges in a row that are shown */
};

struct histogram {
	struct count_page *c;
	const struct line *l;
	uint64_t most; /* hits of the range that has most */
	size_t range_width, count_width, bar_width;
};

/*
 * Calls @put for each range from the first to the last with hits, @skip for more than GAP_MAX empty
 * ones in a row.
 */
static void each_range(struct histogram *h, void (*put)(struct histogram *, int64_t, uint64_t),
		       void (*skip)(struct histogram *))
{
	const struct count_page *c = h->c;
	int64_t next = 0;

	for (size_t i = 0; i < h->l->nr; i++) {
		const struct row *row = rows__row(&c->rows, c->p, h->l, i);
		const int64_t n = row__bucket(c->p, row);

		if (i && n - next > GAP_MAX)
			skip(h);
		else
			for (; i && next < n; next++)
				put(h, next, 0);
		put(h, n, row->samples);
		next = n + 1;
	}
}

static void measure_range(struct histogram *h, int64_t n, uint64_t hits)
{
	char text[RANGE_CHARS];
	size_t len;

	range__text(&h->c->p->buckets, n, text);
	len = strlen(text);
	h->range_width = len > h->range_width ? len : h->range_width;
	len = snprintf(text, sizeof(text), "%" PRIu64, hits);
	h->count_width = len > h->count_width ? len : h->count_width;
	h->most = hits > h->most ? hits : h->most;
}

static void skip_nothing(struct histogram *h)
{
	(void)h;
}

static void put_range(struct histogram *h, int64_t n, uint64_t hits)
{
	const size_t bar = (unsigned __int128)hits * h->bar_width / h->most;
	struct writer *w = &h->c->w;
	char text[RANGE_CHARS];

	range__text(&h->c->p->buckets, n, text);
	writer__printf(w, "%-*s  %*" PRIu64 "  |", (int)h->range_width, text, (int)h->count_width,
		       hits);
	for (size_t i = 0; i < h->bar_width; i++)
		writer__putc(w, i < bar ? '@' : ' ');
	writer__puts(w, "|\n");
}

static void put_gap(struct histogram *h)
{
	writer__puts(&h->c->w, "…\n");
}

/* "BYTES (unit)"; without "ns", as times have their unit with each number. */
static int make_heading(struct buf *b, const struct buckets *x)
{
	int err;

	buf__clear(b);
	err = count_page__upper(b, x->metric);
	if (err || !*x->unit || !strcmp(x->unit, "ns"))
		return err;
	err = buf__puts(b, " (");
	if (!err)
		err = escape__plain(b, x->unit);
	return err ? err : buf__puts(b, ")");
}

static int put_ranges(struct count_page *c, const struct line *l)
{
	struct histogram h = { .c = c, .l = l, .count_width = strlen("COUNT") };
	size_t used, left;
	int err = make_heading(&c->text, &c->p->buckets);

	if (err)
		return err;
	each_range(&h, measure_range, skip_nothing);
	used = cell__width(c->text.data);
	if (used > h.range_width)
		h.range_width = used;
	used = h.range_width + h.count_width + strlen("    ||");
	left = c->o->width > used + BAR_MIN ? c->o->width - used : BAR_MIN;
	h.bar_width = !c->o->width || left > BAR_MAX ? BAR_MAX : left;
	count_page__color(c, CELL_BOLD);
	cell__pad(&c->w, cell__put(&c->w, c->text.data, "", 0), h.range_width);
	writer__printf(&c->w, "  %*s  DISTRIBUTION", (int)h.count_width, "COUNT");
	count_page__color(c, CELL_PLAIN);
	writer__putc(&c->w, '\n');
	each_range(&h, put_range, put_gap);
	return 0;
}

/* ", ret: sum 7, avg 2.33". */
static int add_measures(struct count_page *c, struct buf *b, const struct line *l)
{
	int err = 0;

	for (size_t i = 0; c->o->shown && i < c->p->nr_metrics && !err; i++) {
		const struct measured m = rows__measured(&c->rows, c->p, l, i);
		const char *separator = ": ";

		err = buf__puts(b, ", ");
		if (!err)
			err = escape__plain(b, m.metric->name);
		for (unsigned what = 1; what < MEASURE_END && !err; what <<= 1) {
			char digits[MEASURE_DIGITS];

			if (!(c->o->shown & what))
				continue;
			measured__text(&m, what, 2, digits);
			err = buf__printf(b, "%s%s %s%s%s", separator, measure__name(what), digits,
					  *m.metric->unit ? " " : "", m.metric->unit);
			separator = ", ";
		}
	}
	return err;
}

/* "kprobe:vfs_read comm=redis pid=42: 1234 hits". */
static int make_key(struct count_page *c, struct buf *b, const struct line *l)
{
	char digits[KEY_PART_DIGITS];
	const char *colon = c->nr_parts ? ": " : "";
	int err = 0;

	if (c->p->nr_events > 1 && !c->p->names_event) {
		err = escape__plain(b, count_page__event(c, l));
		colon = ": ";
	}
	for (size_t i = 0; i < c->nr_parts && !err; i++) {
		err = buf__puts(b, b->len ? " " : "");
		if (!err)
			err = escape__plain(b, c->parts[i].name);
		if (!err)
			err = buf__puts(b, "=");
		if (!err)
			err = escape__plain(b, count_page__part(c, l, &c->parts[i], digits));
	}
	if (!err)
		err = buf__printf(b, "%s%" PRIu64 " %s%s", colon, l->samples, c->noun,
				  l->samples == 1 ? "" : "s");
	return err ? err : add_measures(c, b, l);
}

static int put_key(struct count_page *c, const struct line *l)
{
	struct buf b = {};
	int err = make_key(c, &b, l);

	if (!err) {
		count_page__color(c, CELL_BOLD);
		cell__put(&c->w, b.data, "", c->o->width ? c->o->width : 4 * CELL_LONG);
		count_page__color(c, CELL_PLAIN);
		writer__putc(&c->w, '\n');
	}
	buf__free(&b);
	return err;
}

int count_histogram__put_all(struct count_page *c)
{
	int err = 0;

	for (size_t i = 0; i < c->nr && !err; i++) {
		if (i)
			writer__putc(&c->w, '\n');
		if (c->has_key)
			err = put_key(c, &c->rows.lines[i]);
		if (!err && c->has_stack)
			err = count_page__put_frames(c, &c->rows.lines[i]);
		if (!err)
			err = put_ranges(c, &c->rows.lines[i]);
	}
	return err;
}
