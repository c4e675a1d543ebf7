// SPDX-License-Identifier: BSD-2-Clause
/* Puts text and styles into the cells of a page, and gives its lines out as text. */
#include "tui/canvas.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/visible.h"

int canvas__begin(struct canvas *c, int width, int height)
{
	int err = array__grow(&c->cells, &c->cap, (size_t)width * height + 1);

	c->width = c->height = 0;
	c->shows_cursor = false;
	if (err)
		return err;
	c->width = width;
	c->height = height;
	for (size_t i = 0; i < (size_t)width * height; i++)
		c->cells[i] = (struct canvas_cell){ ' ', STYLE_PLAIN };
	return 0;
}

void canvas__free(struct canvas *c)
{
	free(c->cells);
	*c = (struct canvas){};
}

static struct canvas_cell *cell_at(struct canvas *c, int x, int y)
{
	return &c->cells[(size_t)y * c->width + x];
}

/* What is shown for a character that takes *columns; 0: nothing. May change *columns. */
static uint32_t shown(const struct canvas *c, uint32_t character, size_t *columns)
{
	if (!*columns)
		return 0;
	if (!visible__is(character, 0) || (c->is_ascii && character >= 0x80)) {
		*columns = 1;
		return '?';
	}
	return character;
}

int canvas__put(struct canvas *c, int x, int y, int max, enum style style, const char *text)
{
	size_t left = strlen(text), bytes, columns;
	int at = x, end = max < c->width - x ? x + max : c->width;

	if (x < 0 || y < 0 || y >= c->height)
		return 0;
	for (; left; text += bytes, left -= bytes) {
		uint32_t character = utf8__decode(text, left, &bytes);

		utf8__fit(text, bytes, 2, &columns);
		character = shown(c, character, &columns);
		if (at + (int)columns > end)
			break;
		if (!columns)
			continue;
		*cell_at(c, at, y) = (struct canvas_cell){ character, style };
		if (columns == 2)
			*cell_at(c, at + 1, y) = (struct canvas_cell){ 0, style };
		at += columns;
	}
	return at - x;
}

int canvas__printf(struct canvas *c, int x, int y, int max, enum style style, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return canvas__put(c, x, y, max, style, text);
}

int canvas__text_of(const struct canvas *like, int (*draw)(void *arg, struct canvas *page),
		    void *arg, struct buf *out)
{
	struct canvas page = { .is_ascii = like->is_ascii };
	int err = canvas__begin(&page, like->width, like->height);

	if (!err)
		err = draw(arg, &page);
	if (!err)
		err = canvas__text(&page, out);
	canvas__free(&page);
	return err;
}

size_t canvas__scroll(size_t first, size_t at, size_t page, size_t nr)
{
	if (at < first)
		first = at;
	if (at >= first + page)
		first = at - page + 1;
	if (first + page > nr)
		first = nr > page ? nr - page : 0;
	return first;
}

int text__width(const char *text)
{
	size_t columns;

	utf8__fit(text, strlen(text), INT_MAX, &columns);
	return columns;
}

void canvas__put_right(struct canvas *c, int x, int y, int width, enum style style,
		       const char *text)
{
	int spare = width - text__width(text);
	size_t bytes, left = strlen(text);

	for (; spare < 0 && left; text += bytes, left -= bytes) {
		size_t columns;

		utf8__decode(text, left, &bytes);
		utf8__fit(text, bytes, 2, &columns);
		spare += columns;
	}
	canvas__put(c, x + spare, y, width - spare, style, text);
}

void canvas__paint(struct canvas *c, int x, int y, int width, enum style style)
{
	if (y < 0 || y >= c->height)
		return;
	for (int i = x < 0 ? 0 : x; i < x + width && i < c->width; i++)
		cell_at(c, i, y)->style = style;
}

static int line_text(const struct canvas *c, int y, struct buf *out)
{
	const struct canvas_cell *line = &c->cells[(size_t)y * c->width];
	int nr = c->width, err = 0;

	while (nr && line[nr - 1].character == ' ')
		nr--;
	for (int i = 0; i < nr && !err; i++)
		if (line[i].character)
			err = utf8__put(out, line[i].character);
	return err ? err : buf__puts(out, "\n");
}

int canvas__text(const struct canvas *c, struct buf *out)
{
	int err = 0;

	for (int y = 0; y < c->height && !err; y++)
		err = line_text(c, y, out);
	return err;
}
