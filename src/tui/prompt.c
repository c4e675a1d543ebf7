// SPDX-License-Identifier: BSD-2-Clause
/* Edits and draws a line of text. */
#include "tui/prompt.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

enum { CTRL_H = 8, CTRL_U = 21 };

void prompt__begin(struct prompt *p, const char *label, const char *text)
{
	p->label = label;
	p->len = snprintf(p->text, sizeof(p->text), "%s", text);
	if (p->len >= sizeof(p->text))
		p->len = sizeof(p->text) - 1;
}

static void take_last(struct prompt *p)
{
	while (p->len && (p->text[p->len - 1] & 0xc0) == 0x80)
		p->len--;
	if (p->len)
		p->len--;
	p->text[p->len] = '\0';
}

static void add(struct prompt *p, uint32_t character)
{
	struct buf bytes = {};

	if (!utf8__put(&bytes, character) && p->len + bytes.len < sizeof(p->text)) {
		memcpy(p->text + p->len, bytes.data, bytes.len + 1);
		p->len += bytes.len;
	}
	buf__free(&bytes);
}

enum prompt_end prompt__input(struct prompt *p, const struct input *in)
{
	if (in->code == INPUT_ENTER)
		return PROMPT_DONE;
	if (in->code == INPUT_ESC)
		return PROMPT_CANCELLED;
	if (in->code == INPUT_BACKSPACE || in->code == CTRL_H)
		take_last(p);
	else if (in->code == CTRL_U)
		p->text[p->len = 0] = '\0';
	else if (in->code >= ' ' && in->code < INPUT_FIRST)
		add(p, in->code);
	return PROMPT_GOES_ON;
}

void prompt__draw(const struct prompt *p, struct canvas *c, int y)
{
	int x = canvas__put(c, 0, y, c->width, STYLE_STRONG, p->label);
	int room = c->width - x - 2, width = text__width(p->text);

	x += canvas__put(c, x, y, 2, STYLE_STRONG, ": ");
	room = room > 1 ? room - 1 : 1;
	if (width > room)
		canvas__put_right(c, x, y, room, STYLE_PLAIN, p->text);
	else
		canvas__put(c, x, y, room, STYLE_PLAIN, p->text);
	c->cursor_x = x + (width < room ? width : room);
	c->cursor_y = y;
	c->shows_cursor = true;
}
