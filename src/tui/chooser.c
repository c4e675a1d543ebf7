// SPDX-License-Identifier: BSD-2-Clause
/* The items of a list: which are chosen, what keys and clicks do, how they are drawn. */
#include "tui/chooser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void chooser__begin(struct chooser *s, const char *title, bool many)
{
	s->title = title;
	s->many = many;
	s->nr = s->at = s->first = 0;
	strtab__free(s->texts);
	s->texts = NULL;
}

void chooser__free(struct chooser *s)
{
	free(s->items);
	strtab__free(s->texts);
	*s = (struct chooser){};
}

static int keep(struct chooser *s, const char **text)
{
	uint32_t id;
	int err = *text ? strtab__add(s->texts, *text, strlen(*text), &id) : 0;

	if (!err && *text)
		*text = strtab__get(s->texts, id);
	return err;
}

int chooser__add(struct chooser *s, const struct chooser_item *item)
{
	struct chooser_item copy = *item;
	int err = array__grow(&s->items, &s->cap, s->nr + 1);

	if (!err && !s->texts)
		s->texts = strtab__new();
	if (!err)
		err = s->texts ? keep(s, &copy.name) : -ENOMEM;
	if (!err)
		err = keep(s, &copy.help);
	if (!err)
		err = keep(s, &copy.why);
	if (err)
		return err;
	if (item->is_chosen && !s->many)
		s->at = s->nr;
	s->items[s->nr++] = copy;
	return 0;
}

static void choose(struct chooser *s)
{
	struct chooser_item *item = &s->items[s->at];
	bool was = item->is_chosen;

	for (size_t i = 0; i < s->nr; i++)
		if (!s->many || item->is_exclusive || s->items[i].is_exclusive)
			s->items[i].is_chosen = false;
	item->is_chosen = !s->many || !was;
}

static void go(struct chooser *s, long lines)
{
	if (lines < 0)
		s->at = (size_t)-lines > s->at ? 0 : s->at + lines;
	else
		s->at = s->at + lines < s->nr ? s->at + lines : s->nr - 1;
}

static enum chooser_end click(struct chooser *s, int y)
{
	size_t line = s->first + (y - s->y);

	if (y < s->y || y >= s->y + s->height || line >= s->nr)
		return CHOOSER_GOES_ON;
	s->at = line;
	choose(s);
	return s->many ? CHOOSER_GOES_ON : CHOOSER_DONE;
}

enum chooser_end chooser__input(struct chooser *s, const struct input *in)
{
	if (in->code == INPUT_ESC || in->code == 'q' || !s->nr)
		return CHOOSER_CANCELLED;
	switch (in->code) {
	case INPUT_CLICK:
		return click(s, in->y);
	case ' ':
		if (s->many)
			choose(s);
		return CHOOSER_GOES_ON;
	case INPUT_ENTER:
		if (!s->many)
			choose(s);
		return CHOOSER_DONE;
	case INPUT_WHEEL_UP:
		go(s, -1);
		return CHOOSER_GOES_ON;
	case INPUT_WHEEL_DOWN:
		go(s, 1);
		return CHOOSER_GOES_ON;
	}
	switch (keys__find(in->code)) {
	case ACTION_UP:
		go(s, -1);
		break;
	case ACTION_DOWN:
		go(s, 1);
		break;
	case ACTION_PAGE_UP:
		go(s, -s->height);
		break;
	case ACTION_PAGE_DOWN:
		go(s, s->height);
		break;
	case ACTION_FIRST:
		go(s, -(long)s->nr);
		break;
	case ACTION_LAST:
		go(s, s->nr);
		break;
	default:
		break;
	}
	return CHOOSER_GOES_ON;
}

static void draw_item(const struct chooser *s, const struct chooser_item *item, struct canvas *c,
		      int y)
{
	int x = 1;

	if (s->many)
		x += canvas__put(c, x, y, 4, STYLE_STRONG, item->is_chosen ? "[x] " : "[ ] ");
	x += canvas__put(c, x, y, c->width - x, item->why ? STYLE_DIM : STYLE_PLAIN, item->name);
	x = x < 22 ? 22 : x + 2;
	if (item->why)
		canvas__printf(c, x, y, c->width - x, STYLE_DIM, "not here: %s", item->why);
	else if (item->help)
		canvas__put(c, x, y, c->width - x, STYLE_DIM, item->help);
}

void chooser__draw(struct chooser *s, struct canvas *c)
{
	s->y = 1;
	s->height = c->height > 3 ? c->height - 2 : 1;
	s->first = canvas__scroll(s->first, s->at, s->height, s->nr);
	canvas__paint(c, 0, 0, c->width, STYLE_TITLE);
	canvas__put(c, 1, 0, c->width, STYLE_TITLE, s->title);
	for (int i = 0; i < s->height && s->first + i < s->nr; i++)
		draw_item(s, &s->items[s->first + i], c, s->y + i);
	c->cursor_x = 0;
	c->cursor_y = s->y + (int)(s->at - s->first);
	canvas__paint(c, 0, c->cursor_y, c->width, STYLE_SELECTED);
	canvas__put(c, 0, c->height - 1, c->width, STYLE_LABEL,
		    s->many ? "Space: choose  Enter: take these  Esc: leave it"
			    : "Enter: take this one  Esc: leave it");
}

int chooser__words(const struct chooser *s, struct buf *out)
{
	int err = 0;

	for (size_t i = 0; i < s->nr && !err; i++)
		if (s->items[i].is_chosen)
			err = buf__printf(out, "%s%s", out->len ? "," : "", s->items[i].name);
	return err;
}
