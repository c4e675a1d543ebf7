// SPDX-License-Identifier: BSD-2-Clause
/* The page around lines of hits or calls: headlines, frames, what is not shown, losses. */
#include "print/count_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/strtab.h"
#include "print/cell.h"
#include "print/count_page.h"
#include "print/escape.h"
#include "print/lossline.h"

enum { INDENT = 4 }; /* of frames */

void count_page__color(struct count_page *c, const char *attribute)
{
	if (c->o->color)
		writer__puts(&c->w, attribute);
}

int count_page__upper(struct buf *b, const char *name)
{
	const size_t before = b->len;
	int err = escape__plain(b, name);

	for (size_t i = before; i < b->len; i++)
		if (b->data[i] >= 'a' && b->data[i] <= 'z')
			b->data[i] += 'A' - 'a';
	return err;
}

int count_page__part(struct count_page *c, const struct line *l, const struct key_part *part)
{
	const struct row_key *key = &rows__row(&c->rows, c->p, l, 0)->key;
	char digits[KEY_PART_DIGITS];
	const char *text = key_part__text(part, c->p, key, digits);

	buf__clear(&c->text);
	return escape__plain(&c->text, *text ? text : "\"\"");
}

/* "    read [k]  libc.so.6": the module gets a third of the line at most. */
static void put_frame_texts(struct count_page *c, const char *name, enum frame_kind kind,
			    const char *module)
{
	const size_t left = c->o->width > INDENT ? c->o->width - INDENT : 0;
	size_t used = cell__width(module);

	if (left && used > left / 3)
		used = left / 3;
	cell__pad(&c->w, 0, INDENT);
	if (kind == FRAME_KERNEL)
		count_page__color(c, CELL_KERNEL);
	cell__put(&c->w, name, cell__mark(kind), !left ? CELL_LONG : used ? left - used - 2 : left);
	if (kind == FRAME_KERNEL)
		count_page__color(c, CELL_PLAIN);
	if (used) {
		writer__puts(&c->w, "  ");
		count_page__color(c, CELL_DIM);
		cell__put(&c->w, module, "", left ? used : CELL_LONG);
		count_page__color(c, CELL_PLAIN);
	}
	writer__putc(&c->w, '\n');
}

static int put_frame(struct count_page *c, uint32_t id)
{
	const struct frame *frame = &c->p->frames[id];
	const char *name = profile__name(c->p, id);
	struct buf module = {};
	int err;

	buf__clear(&c->text);
	err = escape__plain(&c->text, *name ? name : "[unknown]");
	if (!err)
		err = escape__plain(&module, strtab__get(c->p->strings, frame->module));
	if (!err)
		put_frame_texts(c, c->text.data, frame->kind, module.data);
	buf__free(&module);
	return err;
}

int count_page__put_frames(struct count_page *c, const struct line *l)
{
	const struct row *row = rows__row(&c->rows, c->p, l, 0);
	int err = row_stack__get(&c->stack, c->p, row->key.stack);

	if (!err && !c->stack.nr) {
		cell__pad(&c->w, 0, INDENT);
		writer__puts(&c->w, "-\n");
	}
	for (size_t i = c->stack.nr; i && !err; i--)
		err = put_frame(c, c->stack.frames[i - 1]);
	return err;
}

void count_page__put_number(struct count_page *c, uint64_t n)
{
	writer__printf(&c->w, "%" PRIu64 " %s%s", n, c->noun, n == 1 ? "" : "s");
}

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
		count_page__put_number(c, e->samples);
		writer__printf(&c->w, ", %.2f s\n", seconds);
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

static int put_lines(struct count_page *c)
{
	int err = 0;

	if (!c->rows.nr)
		return 0;
	if (rows__bucket_field(c->p) >= 0)
		err = count_page__put_histograms(c);
	else if (c->has_key)
		err = c->put_columns(c);
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

int count_page__write(struct count_page *c)
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

int print__count_table(FILE *f, const struct profile *p, const struct count_table_opts *o)
{
	struct count_page c = {
		.w = { .f = f },
		.p = p,
		.o = o,
		.noun = "hit",
		.put_columns = count_page__put_columns,
	};

	return count_page__write(&c);
}
