// SPDX-License-Identifier: BSD-2-Clause
/* Writes the help from the tables of keys, columns and losses; scrolls and draws it. */
#include "tui/help.h"

#include <stdio.h>
#include <string.h>

#include "tui/lostline.h"

void help__free(struct help *h)
{
	buf__free(&h->text);
	*h = (struct help){};
}

static int put_key(struct buf *b, const struct key *key)
{
	char names[KEY_CODES * (KEY_NAME + 1)] = "";

	for (size_t i = 0; i < KEY_CODES && key->codes[i]; i++) {
		char name[KEY_NAME];

		key__name(key->codes[i], name);
		strcat(i ? strcat(names, " ") : names, name);
	}
	return buf__printf(b, "  %-14s %s\n", names, key->help);
}

static int put_column(struct buf *b, const struct column *c)
{
	int err = buf__printf(b, "  %-14s %s", c->title, c->help ? c->help : c->formula);

	if (!err && c->help && c->formula)
		err = buf__printf(b, " (%s)", c->formula);
	if (!err && c->why)
		err = buf__printf(b, "\n  %-14s not known: %s", "", c->why);
	return err ? err : buf__puts(b, "\n");
}

static int put_losses(struct buf *b)
{
	const char *word, *help;
	int err = buf__puts(b, "\nLost, in colour from 0.1 % on; more in pmutrace-top(1)\n");

	for (size_t i = 0; !err && (word = lostline__word(i, &help)); i++)
		err = buf__printf(b, "  %-18s %s\n", word, help);
	return err;
}

/* Columns, and what is lost in intervals. */
static int put_columns(struct buf *b, const struct columns *columns)
{
	int err = buf__puts(b, "\nColumns\n");

	for (size_t i = 0; i < columns->nr && !err; i++)
		err = put_column(b, &columns->items[i]);
	return err ? err : put_losses(b);
}

int help__begin(struct help *h, const struct columns *columns, keys_fn has)
{
	size_t nr;
	const struct key *keys = keys__all(&nr);
	int err;

	buf__clear(&h->text);
	h->first = 0;
	err = buf__puts(&h->text, "Keys\n");
	for (size_t i = 0; i < nr && !err; i++)
		if (!has || has(keys[i].action))
			err = put_key(&h->text, &keys[i]);
	if (!err)
		err = buf__puts(&h->text,
				"  click          a title: sort by it; a row: select it\n");
	if (!err && columns)
		err = put_columns(&h->text, columns);
	h->nr_lines = 0;
	for (size_t i = 0; i < h->text.len; i++)
		h->nr_lines += h->text.data[i] == '\n';
	return err;
}

static void go(struct help *h, long lines)
{
	size_t last = h->nr_lines > (size_t)h->height ? h->nr_lines - h->height : 0;

	if (lines < 0)
		h->first = (size_t)-lines > h->first ? 0 : h->first + lines;
	else
		h->first = h->first + lines < last ? h->first + lines : last;
}

bool help__input(struct help *h, const struct input *in)
{
	if (in->code == INPUT_WHEEL_UP || in->code == INPUT_WHEEL_DOWN) {
		go(h, in->code == INPUT_WHEEL_UP ? -1 : 1);
		return true;
	}
	switch (keys__find(in->code)) {
	case ACTION_UP:
		go(h, -1);
		return true;
	case ACTION_DOWN:
		go(h, 1);
		return true;
	case ACTION_PAGE_UP:
		go(h, -h->height);
		return true;
	case ACTION_PAGE_DOWN:
	case ACTION_TAG:
		go(h, h->height);
		return true;
	case ACTION_FIRST:
		go(h, -(long)h->nr_lines);
		return true;
	case ACTION_LAST:
		go(h, h->nr_lines);
		return true;
	case ACTION_NONE:
		return true;
	default:
		return false;
	}
}

void help__draw(struct help *h, struct canvas *c)
{
	const char *line = h->text.data ? h->text.data : "";
	int y = 0;

	h->height = c->height > 2 ? c->height - 1 : 1;
	go(h, 0);
	for (size_t i = 0; *line && y < h->height; i++) {
		size_t len = strcspn(line, "\n");
		char text[256];

		if (i >= h->first) {
			snprintf(text, sizeof(text), "%.*s", (int)len, line);
			canvas__put(c, 0, y++, c->width, *text == ' ' ? STYLE_PLAIN : STYLE_LABEL,
				    text);
		}
		line += len + (line[len] == '\n');
	}
	canvas__put(c, 0, c->height - 1, c->width, STYLE_LABEL,
		    "Up, Down, PgUp, PgDn: more  Esc: back");
}
