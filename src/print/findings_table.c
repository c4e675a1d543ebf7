// SPDX-License-Identifier: BSD-2-Clause
/* Writes the doctor's findings as text: by area, wrapped, with cost and fix. */
#include "print/findings_table.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "print/escape.h"
#include "print/writer.h"

#define BOLD  "\033[1m"
#define PLAIN "\033[0m"

enum {
	STATE_WIDTH = 11, /* with its indentation and the blanks behind */
	TEXT_MIN = 24,
	NAME_MIN = 4,
};

struct table {
	struct writer w;
	const struct findings_table_opts *o;
	size_t name_width;
	struct buf text;
};

static void color(struct table *t, const char *attribute)
{
	if (t->o->color)
		writer__puts(&t->w, attribute);
}

static const char *color_of(enum finding_state state)
{
	switch (state) {
	case FINDING_OK:
		return "\033[32m";
	case FINDING_LIMITED:
		return "\033[33m";
	case FINDING_MISSING:
		return "\033[31m";
	case FINDING_UNKNOWN:
	case FINDING_NR:
		break;
	}
	return "\033[35m";
}

static void put_blanks(struct table *t, size_t nr)
{
	while (nr--)
		writer__putc(&t->w, ' ');
}

/* Wraps @s at the terminal's width; further lines are indented. A longer word stays whole. */
static void put_words(struct table *t, const char *s, size_t indent)
{
	size_t left = t->o->width > indent + TEXT_MIN ? t->o->width - indent : TEXT_MIN, at = 0;

	while (*s) {
		size_t len = strcspn(s, " "), used;

		utf8__fit(s, len, SIZE_MAX, &used);
		if (at && t->o->width && at + 1 + used > left) {
			writer__putc(&t->w, '\n');
			put_blanks(t, indent);
			at = 0;
		} else if (at) {
			writer__putc(&t->w, ' ');
			at++;
		}
		writer__put(&t->w, s, len);
		at += used;
		s += len;
		s += *s == ' ';
	}
	writer__putc(&t->w, '\n');
}

static int put_text(struct table *t, const char *s, bool whole)
{
	int err;

	buf__clear(&t->text);
	err = escape__plain(&t->text, s);
	if (err)
		return err;
	if (!whole) {
		put_words(t, t->text.len ? t->text.data : "", STATE_WIDTH + t->name_width + 2);
	} else {
		writer__put(&t->w, t->text.data, t->text.len);
		writer__putc(&t->w, '\n');
	}
	return 0;
}

static int put_more(struct table *t, const char *label, const char *text, bool whole)
{
	if (!text)
		return 0;
	put_blanks(t, STATE_WIDTH);
	writer__printf(&t->w, "%-*s  ", (int)t->name_width, label);
	return put_text(t, text, whole);
}

static int put_finding(struct table *t, const struct finding *x)
{
	struct buf found = {};
	int err = 0;

	if (x->subject)
		err = buf__printf(&found, "%s: %s", x->subject, x->found);
	if (err)
		return err;
	writer__puts(&t->w, "  ");
	color(t, color_of(x->state));
	writer__printf(&t->w, "%-7s", finding_state__name(x->state));
	color(t, PLAIN);
	writer__printf(&t->w, "  %-*s  ", (int)t->name_width, x->name);
	err = put_text(t, x->subject ? found.data : x->found, false);
	buf__free(&found);
	return err;
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The first finding before @x with the same fix, which is not shown again; NULL: none. */
static const struct finding *first_with_fix(const struct findings *found, const struct finding *x)
{
	for (const struct finding *y = found->items; x->fix && y < x; y++)
		if (y->state != FINDING_OK && is_same(y->fix, x->fix) && !is_same(y->name, x->name))
			return y;
	return NULL;
}

static int put_advice(struct table *t, const struct findings *found, const struct finding *x)
{
	const struct finding *first = first_with_fix(found, x);
	struct buf fix = {};
	int err = put_more(t, "cost", x->cost, false);

	if (!err && first)
		err = buf__printf(&fix, "as for %s, above", first->name);
	if (!err)
		err = put_more(t, "fix", first ? fix.data : x->fix, true);
	buf__free(&fix);
	return err;
}

/* Neighbours with the same name, state, cost and fix show these two once, below the last. */
static bool shares_advice(const struct finding *x, const struct finding *next)
{
	return next && x->state == next->state && is_same(x->area, next->area) &&
	       is_same(x->name, next->name) && is_same(x->cost, next->cost) &&
	       is_same(x->fix, next->fix);
}

static int put_all(struct table *t, const struct findings *found)
{
	const char *area = NULL;
	int err = 0;

	for (size_t i = 0; i < found->nr && !err; i++) {
		const struct finding *x = &found->items[i];

		if (t->o->brief && x->state == FINDING_OK)
			continue;
		if (!area || strcmp(area, x->area)) {
			writer__puts(&t->w, area ? "\n" : "");
			color(t, BOLD);
			writer__puts(&t->w, x->area);
			color(t, PLAIN);
			writer__putc(&t->w, '\n');
		}
		area = x->area;
		err = put_finding(t, x);
		if (!err && x->state != FINDING_OK &&
		    !shares_advice(x, i + 1 < found->nr ? x + 1 : NULL))
			err = put_advice(t, found, x);
	}
	writer__puts(&t->w, area ? "\n" : "");
	return err;
}

static void put_sum(struct table *t, const struct findings *found)
{
	size_t nr[FINDING_NR] = {};

	for (size_t i = 0; i < found->nr; i++)
		nr[found->items[i].state]++;
	for (unsigned s = 0; s < FINDING_NR; s++)
		writer__printf(&t->w, "%s%zu %s", s ? ", " : "", nr[s], finding_state__name(s));
	writer__puts(&t->w, ": ");
	color(t, found->ready ? color_of(FINDING_OK) : color_of(FINDING_MISSING));
	writer__printf(&t->w, "pmutrace profile %s run", found->ready ? "can" : "cannot");
	color(t, PLAIN);
	writer__putc(&t->w, '\n');
}

int print__findings_table(FILE *f, const struct findings *found,
			  const struct findings_table_opts *o)
{
	struct table t = { .w = { .f = f }, .o = o, .name_width = NAME_MIN };
	int err, end;

	for (size_t i = 0; i < found->nr; i++) {
		size_t len = strlen(found->items[i].name);

		t.name_width = len > t.name_width ? len : t.name_width;
	}
	err = put_all(&t, found);
	put_sum(&t, found);
	end = writer__end(&t.w);
	buf__free(&t.text);
	return err ? err : end;
}
