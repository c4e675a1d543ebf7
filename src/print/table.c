// SPDX-License-Identifier: BSD-2-Clause
/* Writes the functions with most samples, for each event, with self and total shares. */
#include "print/table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/utf8.h"
#include "model/functions.h"
#include "model/profile.h"
#include "print/cell.h"
#include "print/escape.h"
#include "print/lossline.h"
#include "print/writer.h"

enum {
	DEFAULT_ROWS = 20,
	NUMBERS_WIDTH = 35, /* what stands before the function */
	NAME_MIN = 24,
	PAD_MAX = 48,
	MODULE_MIN = 6, /* its heading */
	MODULE_MAX = 32,
};

struct table {
	struct writer w;
	const struct profile *p;
	const struct table_opts *o;
	struct buf name, module;
	size_t name_width; /* names are padded to this, and on a terminal cut to it */
	size_t module_width;
};

static void color(struct table *t, const char *attribute)
{
	if (t->o->color)
		writer__puts(&t->w, attribute);
}

static void put_cut(struct table *t, const char *s, const char *mark, size_t width, bool pad)
{
	size_t used = cell__put(&t->w, s, mark, t->o->width ? width : CELL_LONG);

	if (pad)
		cell__pad(&t->w, used, width);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static int put_function(struct table *t, const struct function *f, uint64_t samples)
{
	const struct frame *frame = &t->p->frames[f->frame];
	const char *name = profile__name(t->p, f->frame);
	int err;

	buf__clear(&t->name);
	buf__clear(&t->module);
	err = escape__plain(&t->name, *name ? name : "[unknown]");
	if (!err)
		err = escape__plain(&t->module, strtab__get(t->p->strings, frame->module));
	if (err)
		return err;
	writer__printf(&t->w, "%9" PRIu64 " %6.2f %9" PRIu64 " %6.2f  ", f->self,
		       percent(f->self, samples), f->total, percent(f->total, samples));
	if (frame->kind == FRAME_KERNEL)
		color(t, CELL_KERNEL);
	put_cut(t, t->name.data, cell__mark(frame->kind), t->name_width, t->module.len > 0);
	if (frame->kind == FRAME_KERNEL)
		color(t, CELL_PLAIN);
	if (t->module.len) {
		writer__puts(&t->w, "  ");
		color(t, CELL_DIM);
		put_cut(t, t->module.data, "", t->module_width, false);
		color(t, CELL_PLAIN);
	}
	writer__putc(&t->w, '\n');
	return 0;
}

/* The frame of the command is shown only for samples that have no other frame. */
static bool is_shown(const struct profile *p, const struct function *f)
{
	return f->self || p->frames[f->frame].kind != FRAME_COMM;
}

/* Widest name and module among the rows to come, within the terminal. */
static void choose_widths(struct table *t, const struct functions *f, size_t rows)
{
	size_t name = NAME_MIN, module = 0, used, shown = 0;

	for (size_t i = 0; i < f->nr && shown < rows; i++) {
		const struct frame *frame = &t->p->frames[f->by[i].frame];
		const char *s = strtab__get(t->p->strings, frame->name);

		if (!is_shown(t->p, &f->by[i]))
			continue;
		shown++;
		utf8__fit(s, strlen(s), SIZE_MAX, &used);
		used += strlen(cell__mark(frame->kind));
		name = used > name ? used : name;
		s = strtab__get(t->p->strings, frame->module);
		utf8__fit(s, strlen(s), SIZE_MAX, &used);
		if (used)
			used = used > MODULE_MIN ? used : MODULE_MIN;
		module = used > module ? used : module;
	}
	if (t->o->width) {
		size_t left = t->o->width > NUMBERS_WIDTH + NAME_MIN ? t->o->width - NUMBERS_WIDTH
								     : NAME_MIN;
		size_t most = left / 3 < MODULE_MAX ? left / 3 : MODULE_MAX;

		module = module > most ? most : module;
		if (module)
			left -= module + 2;
		name = name > left ? left : name;
	} else if (name > PAD_MAX) {
		name = PAD_MAX; /* one long name moves only its own module */
	}
	t->name_width = name;
	t->module_width = module;
}

static void put_amount(struct table *t, const char *before, uint64_t n, const char *unit)
{
	writer__printf(&t->w, "%s%" PRIu64 "%s", before, n, *unit ? " " : "");
	escape__put(&t->w, unit);
}

static int put_heading(struct table *t, const struct profile_event *e)
{
	int err;

	buf__clear(&t->name);
	err = escape__plain(&t->name, *e->name ? e->name : "?");
	if (err)
		return err;
	color(t, CELL_BOLD);
	cell__put(&t->w, t->name.data, "", CELL_LONG);
	color(t, CELL_PLAIN);
	writer__printf(&t->w, ": %" PRIu64 " samples, %.2f s", e->samples,
		       (double)t->p->duration_ns / 1e9);
	if (e->hz)
		writer__printf(&t->w, ", %" PRIu64 " Hz", e->hz);
	else if (e->period)
		put_amount(t, ", one in ", e->period, e->unit);
	if (t->p->nr_cpus)
		writer__printf(&t->w, " on %u CPU%s", t->p->nr_cpus, t->p->nr_cpus == 1 ? "" : "s");
	if (e->passed_over) {
		put_amount(t, ", ", e->passed_over, e->unit);
		writer__puts(&t->w, " in no sample");
	}
	writer__putc(&t->w, '\n');
	return 0;
}

static int put_event(struct table *t, uint32_t event)
{
	const size_t rows = t->o->rows ? t->o->rows : DEFAULT_ROWS;
	size_t shown = 0, more = 0;
	struct functions *f;
	bool is_note;
	int err = functions__new(&f, t->p, event, NULL);

	if (err)
		return err;
	err = put_heading(t, &t->p->events[event]);
	choose_widths(t, f, rows);
	color(t, CELL_BOLD);
	writer__puts(&t->w, "     SELF  SELF%     TOTAL TOTAL%  ");
	put_cut(t, "FUNCTION", "", t->name_width, t->module_width > 0);
	writer__puts(&t->w, t->module_width ? "  MODULE" : "");
	color(t, CELL_PLAIN);
	writer__putc(&t->w, '\n');
	for (size_t i = 0; i < f->nr && !err; i++) {
		if (!is_shown(t->p, &f->by[i]))
			continue;
		/* A note ("[callers missing]") is no function: always shown, never counted. */
		is_note = t->p->frames[f->by[i].frame].kind == FRAME_NOTE;
		if (shown == rows && !is_note) {
			more++;
			continue;
		}
		err = put_function(t, &f->by[i], f->samples);
		shown += !is_note;
	}
	if (more)
		writer__printf(&t->w, "%*s… and %zu more\n", NUMBERS_WIDTH, "", more);
	writer__putc(&t->w, '\n');
	functions__free(f);
	return err;
}

int print__table(FILE *f, const struct profile *p, const struct table_opts *o)
{
	struct table t = { .w = { .f = f }, .p = p, .o = o };
	struct buf line = {};
	int err = 0, end;

	for (size_t i = 0; i < p->nr_events && !err; i++)
		err = put_event(&t, i);
	if (!err)
		err = print__loss_line(&line, "samples", &p->losses);
	if (!err) {
		writer__put(&t.w, line.data, line.len);
		writer__putc(&t.w, '\n');
	}
	end = writer__end(&t.w);
	buf__free(&line);
	buf__free(&t.name);
	buf__free(&t.module);
	return err ? err : end;
}
