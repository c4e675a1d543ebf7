// SPDX-License-Identifier: BSD-2-Clause
/* Pieces of a page of hits or calls: keys as headings and cells, and frames. */
#include "print/count_page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/strtab.h"
#include "print/cell.h"
#include "print/escape.h"

enum { INDENT = 4 }; /* of frames */

void count_page__color(struct count_page *c, const char *attribute)
{
	if (c->o->color)
		writer__puts(&c->w, attribute);
}

void count_page__put_number(struct count_page *c, uint64_t n)
{
	writer__printf(&c->w, "%" PRIu64 " %s%s", n, c->noun, n == 1 ? "" : "s");
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

const char *count_page__event(const struct count_page *c, const struct line *l)
{
	return c->p->events[rows__row(&c->rows, c->p, l, 0)->key.event].name;
}

const char *count_page__part(const struct count_page *c, const struct line *l,
			     const struct key_part *part, char digits[KEY_PART_DIGITS])
{
	const struct row_key *key = &rows__row(&c->rows, c->p, l, 0)->key;
	const char *text = key_part__text(part, c->p, key, digits);

	return *text ? text : "\"\"";
}

int count_page__add_parts(struct count_page *c, struct text_grid *g)
{
	for (size_t i = 0; i < c->nr_parts; i++) {
		const struct text_grid_column x = {
			.is_number = c->parts[i].is_number,
			.pads_to = CELL_PADDED,
		};
		int err;

		buf__clear(&c->text);
		err = count_page__upper(&c->text, c->parts[i].name);
		if (err)
			return err;
		text_grid__column(g, &x, c->text.data);
	}
	return 0;
}

void count_page__add_key(struct count_page *c, struct text_grid *g, const struct line *l)
{
	char digits[KEY_PART_DIGITS];

	for (size_t i = 0; i < c->nr_parts; i++)
		text_grid__cell(g, count_page__part(c, l, &c->parts[i], digits));
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
