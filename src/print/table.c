// SPDX-License-Identifier: BSD-2-Clause
/* Writes the functions with most samples, for each event, with self and total shares. */
#include "print/table.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "model/functions.h"
#include "model/profile.h"
#include "print/cell.h"
#include "print/escape.h"
#include "print/lossline.h"
#include "print/text_grid.h"
#include "print/writer.h"

enum {
	DEFAULT_ROWS = 20,
	NUMBERS_WIDTH = 35, /* what stands before the function */
	NAME_MIN = 24,
	PAD_MAX = 48, /* one long name moves only its own module */
	MODULE_MAX = 32,
};

struct table {
	struct writer w;
	const struct profile *p;
	const struct table_opts *o;
	struct text_grid grid;
	struct buf text;
};

static void color(struct table *t, const char *attribute)
{
	if (t->o->color)
		writer__puts(&t->w, attribute);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void add_function(struct table *t, const struct function *f, uint64_t samples)
{
	const struct frame *frame = &t->p->frames[f->frame];
	const char *name = profile__name(t->p, f->frame);
	struct text_grid *g = &t->grid;

	text_grid__printf(g, "%" PRIu64, f->self);
	text_grid__printf(g, "%.2f", percent(f->self, samples));
	text_grid__printf(g, "%" PRIu64, f->total);
	text_grid__printf(g, "%.2f", percent(f->total, samples));
	text_grid__cell(g, *name ? name : "[unknown]");
	text_grid__mark(g, cell__mark(frame->kind));
	if (frame->kind == FRAME_KERNEL)
		text_grid__color(g, CELL_KERNEL);
	if (frame->module) {
		text_grid__cell(g, strtab__get(t->p->strings, frame->module));
		text_grid__color(g, CELL_DIM);
	}
	text_grid__end_line(g);
}

/* The frame of the command is shown only for samples that have no other frame. */
static bool is_shown(const struct profile *p, const struct function *f)
{
	return f->self || p->frames[f->frame].kind != FRAME_COMM;
}

static void put_amount(struct table *t, const char *before, uint64_t n, const char *unit)
{
	writer__printf(&t->w, "%s%" PRIu64 "%s", before, n, *unit ? " " : "");
	escape__put(&t->w, unit);
}

static int put_heading(struct table *t, const struct profile_event *e)
{
	int err;

	buf__clear(&t->text);
	err = escape__plain(&t->text, *e->name ? e->name : "?");
	if (err)
		return err;
	color(t, CELL_BOLD);
	cell__put(&t->w, t->text.data, "", CELL_LONG);
	color(t, CELL_PLAIN);
	if (e->is_member)
		put_amount(t, ": ", e->weight, e->unit);
	else
		writer__printf(&t->w, ": %" PRIu64 " samples", e->samples);
	if (e->is_member)
		writer__printf(&t->w, " counted at the samples of %s", e->leader);
	if (t->p->duration_ns)
		writer__printf(&t->w, ", %.2f s", (double)t->p->duration_ns / 1e9);
	if (e->hz)
		writer__printf(&t->w, ", %" PRIu64 " Hz", e->hz);
	else if (e->period)
		put_amount(t, ", one in ", e->period, e->unit);
	if (t->p->nr_cpus)
		writer__printf(&t->w, " on %u CPU%s", t->p->nr_cpus, t->p->nr_cpus == 1 ? "" : "s");
	if (e->in_tick)
		writer__puts(&t->w, ", in the tick");
	if (e->passed_over) {
		put_amount(t, ", ", e->passed_over, e->unit);
		writer__puts(&t->w, " in no sample");
	}
	writer__putc(&t->w, '\n');
	return 0;
}

/* A module takes a third of what numbers leave at most. */
static void add_columns(struct table *t)
{
	const size_t least = NUMBERS_WIDTH + NAME_MIN;
	const size_t width = t->o->width > least ? t->o->width : least;
	const size_t third = (width - NUMBERS_WIDTH) / 3;
	const struct text_grid_column columns[] = {
		{ .is_number = true, .at_least = 9 },
		{ .is_number = true, .at_least = 6, .is_near = true },
		{ .is_number = true, .at_least = 9, .is_near = true },
		{ .is_number = true, .at_least = 6, .is_near = true },
		{ .at_least = NAME_MIN, .pads_to = PAD_MAX },
		{ .at_most = third < MODULE_MAX ? third : MODULE_MAX, .is_optional = true },
	};
	static const char *const headings[] = { "SELF",	  "SELF%",    "TOTAL",
						"TOTAL%", "FUNCTION", "MODULE" };

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		text_grid__column(&t->grid, &columns[i], headings[i]);
}

/* Returns how many functions are not shown. */
static size_t add_functions(struct table *t, const struct functions *f)
{
	const size_t rows = t->o->rows ? t->o->rows : DEFAULT_ROWS;
	size_t shown = 0, more = 0;

	for (size_t i = 0; i < f->nr; i++) {
		/* A note ("[callers missing]") is no function: always shown, never counted. */
		const bool is_note = t->p->frames[f->by[i].frame].kind == FRAME_NOTE;

		if (!is_shown(t->p, &f->by[i]))
			continue;
		if (shown == rows && !is_note) {
			more++;
			continue;
		}
		add_function(t, &f->by[i], f->samples);
		shown += !is_note;
	}
	return more;
}

static int put_event(struct table *t, uint32_t event)
{
	struct text_grid *g = &t->grid;
	struct functions *f;
	size_t more;
	int err = 0;

	/* It has no stacks of its own. */
	if (t->p->events[event].is_member) {
		err = put_heading(t, &t->p->events[event]);
		writer__putc(&t->w, '\n');
		return err;
	}
	err = functions__new(&f, t->p, event, NULL);
	if (err)
		return err;
	text_grid__free(g);
	add_columns(t);
	more = add_functions(t, f);
	functions__free(f);
	err = put_heading(t, &t->p->events[event]);
	if (!err)
		err = text_grid__lay_out(g);
	if (err)
		return err;
	text_grid__put_headings(g, &t->w);
	for (size_t i = 0; i < text_grid__nr_lines(g); i++)
		text_grid__put_line(g, &t->w, i);
	if (more)
		writer__printf(&t->w, "%*s… and %zu more\n", NUMBERS_WIDTH, "", more);
	writer__putc(&t->w, '\n');
	return 0;
}

int print__table(FILE *f, const struct profile *p, const struct table_opts *o)
{
	struct table t = {
		.w = { .f = f },
		.p = p,
		.o = o,
		.grid = { .width = o->width, .color = o->color, .is_cut = true },
	};
	int err = 0, end;

	for (uint32_t i = 0; i < p->nr_events && !err; i++)
		if (!o->one_event || i == o->event)
			err = put_event(&t, i);
	buf__clear(&t.text);
	if (!err)
		err = print__loss_line(&t.text, "samples", &p->losses);
	if (!err) {
		writer__put(&t.w, t.text.data, t.text.len);
		writer__putc(&t.w, '\n');
	}
	end = writer__end(&t.w);
	text_grid__free(&t.grid);
	buf__free(&t.text);
	return err ? err : end;
}
