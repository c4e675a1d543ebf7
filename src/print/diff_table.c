// SPDX-License-Identifier: BSD-2-Clause
/* Writes both sides, and the functions that differ, as a table for people. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "model/profile.h"
#include "print/cell.h"
#include "print/diff.h"
#include "print/escape.h"
#include "print/lossline.h"
#include "print/text_grid.h"
#include "print/writer.h"

enum { DEFAULT_ROWS = 20, NUMBERS_WIDTH = 42, NAME_MIN = 24, PAD_MAX = 48, MODULE_MAX = 32 };

struct diff_table {
	struct writer w;
	const struct diff_page *page;
	const struct difference *d;
	struct text_grid grid;
	struct buf text;
	double scale; /* of rates, to what is shown */
};

static void color(struct diff_table *t, const char *attribute)
{
	if (t->page->color)
		writer__puts(&t->w, attribute);
}

static const struct profile_event *event_of(const struct diff_page *page, int side)
{
	return &page->sides[side].p->events[page->sides[side].event];
}

static bool is_time(const struct diff_table *t)
{
	return t->d->of_weights && !strcmp(event_of(t->page, 0)->unit, "ns");
}

/* "samples per second": what the rates are. */
static void put_quantity(struct diff_table *t)
{
	const char *unit = event_of(t->page, 0)->unit;
	const char *what = !t->d->of_weights ? "samples" : *unit ? unit : "events";

	if (!t->d->opts.absolute) {
		writer__puts(&t->w, "shares of samples");
		return;
	}
	if (is_time(t))
		what = "seconds";
	escape__put(&t->w, what);
	writer__puts(&t->w, t->d->per_run ? " per file" : " per second");
}

static int put_heading(struct diff_table *t)
{
	int err = escape__plain(&t->text, event_of(t->page, 0)->name);

	if (err)
		return err;
	color(t, CELL_BOLD);
	cell__put(&t->w, t->text.data, "", CELL_LONG);
	color(t, CELL_PLAIN);
	writer__puts(&t->w, ": ");
	put_quantity(t);
	writer__puts(&t->w, t->d->opts.total ? " in functions and what they call\n"
					     : " in functions themselves\n");
	return 0;
}

static void put_side(struct diff_table *t, int side)
{
	const struct diff_side *s = &t->page->sides[side];
	const struct unit_tally *tally = &t->d->sides[side];

	writer__printf(&t->w, "%c: ", "AB"[side]);
	escape__put(&t->w, s->files[0]);
	if (s->nr_files > 1)
		writer__printf(&t->w, " and %zu more", s->nr_files - 1);
	writer__printf(&t->w, ": %" PRIu64 " samples", tally->samples);
	if (tally->duration_ns)
		writer__printf(&t->w, ", %.2f s", (double)tally->duration_ns / 1e9);
	if (tally->of != TALLY_SAMPLES)
		writer__printf(&t->w, ", %zu %s", t->d->units[side].nr,
			       tally->of == TALLY_WINDOWS ? "stretches of time"
							  : diff__unit_name(tally->of));
	writer__putc(&t->w, '\n');
}

/* What the numbers of the table are worth. */
static void put_worth(struct diff_table *t)
{
	const struct difference *d = t->d;

	writer__printf(&t->w,
		       "changes with %g %% confidence for all %zu functions together; what is not "
		       "beyond ± is not told\n",
		       100 * CONTRAST_CONFIDENCE, d->contrast.nr_tested);
	if (!d->contrast.has_units)
		writer__puts(&t->w, "?: if samples were independent of each other, which they are "
				    "not; captures of profile --windows, or 4 files a side tell\n");
	else if (d->contrast.is_dependent)
		writer__puts(&t->w,
			     "?: if what they do in one stretch of time were independent of the "
			     "next one; longer runs, or 4 files a side tell\n");
	writer__putc(&t->w, '\n');
}

static void add_columns(struct diff_table *t)
{
	const size_t least = NUMBERS_WIDTH + NAME_MIN;
	const size_t width = t->page->width > least ? t->page->width : least;
	const size_t third = (width - NUMBERS_WIDTH) / 3;
	const struct text_grid_column columns[] = {
		{ .is_number = true, .at_least = 7 },
		{ .is_number = true, .at_least = 7, .is_near = true },
		{ .is_number = true, .at_least = 11, .is_near = true },
		{ .is_number = true, .at_least = 6, .is_near = true },
		{ .is_number = true, .at_least = 7, .is_near = true },
		{ .at_least = NAME_MIN, .pads_to = PAD_MAX },
		{ .at_most = third < MODULE_MAX ? third : MODULE_MAX, .is_optional = true },
	};
	const bool is_share = !t->d->opts.absolute;
	const char *const headings[] = { is_share ? "A%" : "A",
					 is_share ? "B%" : "B",
					 "CHANGE",
					 "±",
					 "OF A",
					 "FUNCTION",
					 "MODULE" };

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		text_grid__column(&t->grid, &columns[i], headings[i]);
}

static void add_number(struct diff_table *t, double x)
{
	if (isfinite(x))
		text_grid__printf(&t->grid, t->d->opts.absolute ? "%.4g" : "%.2f", x * t->scale);
	else
		text_grid__cell(&t->grid, "-");
}

static void add_change(struct diff_table *t, const struct difference_row *row)
{
	const double change = (row->r.rate[1] - row->r.rate[0]) * t->scale;
	const char *mark = row->verdict == VERDICT_UNSURE ? "?" : "";

	if (row->verdict >= VERDICT_CANNOT_TELL)
		text_grid__cell(&t->grid, "cannot tell");
	else if (t->d->opts.absolute)
		text_grid__printf(&t->grid, "%+.4g%s", change, mark);
	else
		text_grid__printf(&t->grid, "%+.2f%s", change, mark);
	text_grid__color(&t->grid, row->verdict >= VERDICT_UNSURE ? CELL_DIM : CELL_BOLD);
	add_number(t, diff__half(t->d, row));
	if (row->verdict >= VERDICT_CANNOT_TELL)
		text_grid__cell(&t->grid, "");
	else if (row->r.rate[0] > 0)
		text_grid__printf(&t->grid, "%+.1f%%", 100 * (row->r.rate[1] / row->r.rate[0] - 1));
	else
		text_grid__cell(&t->grid, "new");
}

static void add_row(struct diff_table *t, const struct difference_row *row)
{
	const char *name = tally_names__name(&t->d->names, row->function);
	const enum frame_kind kind = t->d->names.items[row->function].kind;
	struct text_grid *g = &t->grid;

	add_number(t, row->r.rate[0]);
	add_number(t, row->r.rate[1]);
	add_change(t, row);
	text_grid__cell(g, *name ? name : "[unknown]");
	text_grid__mark(g, cell__mark(kind));
	if (row->verdict >= VERDICT_CANNOT_TELL)
		text_grid__color(g, CELL_DIM);
	else if (kind == FRAME_KERNEL)
		text_grid__color(g, CELL_KERNEL);
	text_grid__cell(g, tally_names__module(&t->d->names, row->function));
	text_grid__color(g, CELL_DIM);
	text_grid__end_line(g);
}

static void put_more(struct diff_table *t, size_t shown)
{
	size_t changed = 0;

	for (size_t i = shown; i < t->d->nr; i++)
		changed += t->d->rows[i].verdict < VERDICT_CANNOT_TELL;
	if (shown < t->d->nr)
		writer__printf(&t->w, "%*s… and %zu more", NUMBERS_WIDTH, "", t->d->nr - shown);
	if (changed)
		writer__printf(&t->w, ", %zu of them with a change", changed);
	if (shown < t->d->nr)
		writer__putc(&t->w, '\n');
}

static int put_rows(struct diff_table *t)
{
	const size_t most = t->page->rows ? t->page->rows : DEFAULT_ROWS;
	const size_t nr = t->d->nr < most ? t->d->nr : most;
	int err;

	add_columns(t);
	for (size_t i = 0; i < nr; i++)
		add_row(t, &t->d->rows[i]);
	err = text_grid__lay_out(&t->grid);
	if (err)
		return err;
	text_grid__put_headings(&t->grid, &t->w);
	for (size_t i = 0; i < nr; i++)
		text_grid__put_line(&t->grid, &t->w, i);
	put_more(t, nr);
	writer__putc(&t->w, '\n');
	return 0;
}

static int put_losses(struct diff_table *t, int side)
{
	int err;

	buf__clear(&t->text);
	err = buf__printf(&t->text, "%c: ", "AB"[side]);
	if (!err)
		err = print__loss_line(&t->text, "samples", &t->page->sides[side].p->losses);
	if (err)
		return err;
	writer__put(&t->w, t->text.data, t->text.len);
	writer__putc(&t->w, '\n');
	return 0;
}

int print__diff_table(FILE *f, const struct diff_page *page)
{
	struct diff_table t = {
		.w = { .f = f },
		.page = page,
		.d = page->d,
		.grid = { .width = page->width, .color = page->color, .is_cut = true },
		.scale = page->d->opts.absolute ? 1 : 100,
	};
	int err = put_heading(&t), end;

	if (is_time(&t))
		t.scale = 1e-9;
	put_side(&t, 0);
	put_side(&t, 1);
	put_worth(&t);
	if (!err)
		err = put_rows(&t);
	for (int side = 0; side < 2 && !err; side++)
		err = put_losses(&t, side);
	end = writer__end(&t.w);
	text_grid__free(&t.grid);
	buf__free(&t.text);
	return err ? err : end;
}
