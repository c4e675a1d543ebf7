// SPDX-License-Identifier: BSD-2-Clause
/* Writes a line about the function, and a line for each of its callers and callees. */
#include "print/callers_table.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "model/callers.h"
#include "model/profile.h"
#include "print/cell.h"
#include "print/escape.h"
#include "print/text_grid.h"
#include "print/writer.h"

enum { DEFAULT_ROWS = 20, NAME_MIN = 24, PAD_MAX = 48, NUMBERS_WIDTH = 18 };

struct calls_table {
	struct writer w;
	const struct profile *p;
	const struct callers *c;
	const struct callers_table_opts *o;
	struct text_grid grid;
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static int put_heading(struct calls_table *t, uint32_t event)
{
	struct buf text = {};
	int err = escape__plain(&text, t->o->name);

	if (!err)
		err = buf__puts(&text, ", ");
	if (!err)
		err = escape__plain(&text, t->p->events[event].name);
	if (!err) {
		writer__puts(&t->w, t->o->color ? CELL_BOLD : "");
		cell__put(&t->w, text.data, "", CELL_LONG);
		writer__puts(&t->w, t->o->color ? CELL_PLAIN : "");
		writer__printf(&t->w,
			       ": %" PRIu64 " samples in it, %" PRIu64
			       " in it and below, %.2f%% of %" PRIu64 "\n",
			       t->c->self, t->c->total, percent(t->c->total, t->c->all), t->c->all);
	}
	buf__free(&text);
	return err;
}

static void add_call(struct calls_table *t, const struct call_of *call)
{
	const struct frame *frame = &t->p->frames[call->frame];
	const char *name = profile__name(t->p, call->frame);
	struct text_grid *g = &t->grid;

	text_grid__printf(g, "%" PRIu64, call->samples);
	text_grid__printf(g, "%.2f", percent(call->samples, t->c->total));
	text_grid__cell(g, *name ? name : "[unknown]");
	text_grid__mark(g, cell__mark(frame->kind));
	if (frame->kind == FRAME_KERNEL)
		text_grid__color(g, CELL_KERNEL);
	text_grid__cell(g, frame->kind == FRAME_COMM ? "command"
						     : strtab__get(t->p->strings, frame->module));
	text_grid__color(g, CELL_DIM);
	text_grid__end_line(g);
}

static int put_calls(struct calls_table *t, const char *heading, const struct call_of *calls,
		     size_t nr)
{
	static const struct text_grid_column columns[] = {
		{ .is_number = true, .at_least = 9 },
		{ .is_number = true, .at_least = 6, .is_near = true },
		{ .at_least = NAME_MIN, .pads_to = PAD_MAX },
		{ .at_most = 32, .is_optional = true },
	};
	const char *const headings[] = { "SAMPLES", "%", heading, "MODULE" };
	const size_t rows = t->o->rows ? t->o->rows : DEFAULT_ROWS;
	struct text_grid *g = &t->grid;
	int err;

	text_grid__free(g);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		text_grid__column(g, &columns[i], headings[i]);
	for (size_t i = 0; i < nr && i < rows; i++)
		add_call(t, &calls[i]);
	err = text_grid__lay_out(g);
	if (err)
		return err;
	text_grid__put_headings(g, &t->w);
	for (size_t i = 0; i < text_grid__nr_lines(g); i++)
		text_grid__put_line(g, &t->w, i);
	if (nr > rows)
		writer__printf(&t->w, "%*s… and %zu more\n", NUMBERS_WIDTH, "", nr - rows);
	writer__putc(&t->w, '\n');
	return 0;
}

int print__callers_table(FILE *f, const struct profile *p, uint32_t event, const struct callers *c,
			 const struct callers_table_opts *o)
{
	struct calls_table t = {
		.w = { .f = f },
		.p = p,
		.c = c,
		.o = o,
		.grid = { .width = o->width, .color = o->color, .is_cut = true },
	};
	int err = put_heading(&t, event), end;

	if (!err && o->callers)
		err = put_calls(&t, "CALLER", c->callers, c->nr_callers);
	if (!err && o->callees)
		err = put_calls(&t, "CALLEE", c->callees, c->nr_callees);
	end = writer__end(&t.w);
	text_grid__free(&t.grid);
	return err ? err : end;
}
