// SPDX-License-Identifier: BSD-2-Clause
/* Writes the doctor's findings: as text, wrapped, with cost and fix, and as JSON. */
#include "print/findings.h"

#include <string.h>

#include "print/cell.h"
#include "print/json.h"
#include "print/text_grid.h"
#include "print/writer.h"

enum {
	STATE_WIDTH = 7, /* "limited" */
	NAME_MIN = 4,	 /* "cost" */
};

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

static void add_advice(struct text_grid *g, const struct findings *found, const struct finding *x)
{
	const struct finding *first = first_with_fix(found, x);

	if (x->cost) {
		text_grid__cell(g, "");
		text_grid__cell(g, "cost");
		text_grid__cell(g, x->cost);
		text_grid__wrap(g);
	}
	if (!x->fix)
		return;
	text_grid__cell(g, "");
	text_grid__cell(g, "fix");
	if (first)
		text_grid__printf(g, "as for %s, above", first->name);
	else
		text_grid__cell(g, x->fix);
}

/* Neighbours with the same name, state, cost and fix show these two once, below the last. */
static bool shares_advice(const struct finding *x, const struct finding *next)
{
	return next && x->state == next->state && is_same(x->area, next->area) &&
	       is_same(x->name, next->name) && is_same(x->cost, next->cost) &&
	       is_same(x->fix, next->fix);
}

static void add_finding(struct text_grid *g, const struct finding *x)
{
	text_grid__cell(g, finding_state__name(x->state));
	text_grid__color(g, color_of(x->state));
	text_grid__cell(g, x->name);
	text_grid__printf(g, "%s%s%s", x->subject ? x->subject : "", x->subject ? ": " : "",
			  x->found);
	text_grid__wrap(g);
}

static bool is_shown(bool brief, const struct finding *x)
{
	return !brief || x->state != FINDING_OK;
}

/* Whether its cost and fix are told below it. */
static bool has_advice(const struct findings *found, const struct finding *x)
{
	const struct finding *end = found->items + found->nr;

	return x->state != FINDING_OK && !shares_advice(x, x + 1 < end ? x + 1 : NULL);
}

static size_t nr_lines(const struct findings *found, const struct finding *x)
{
	return has_advice(found, x) ? 1 + !!x->cost + !!x->fix : 1;
}

static int lay_out(struct text_grid *g, const struct findings *found, bool brief)
{
	text_grid__column(g, &(struct text_grid_column){ .at_least = STATE_WIDTH }, "");
	text_grid__column(g, &(struct text_grid_column){ .at_least = NAME_MIN }, "");
	text_grid__column(g, &(struct text_grid_column){}, "");
	for (size_t i = 0; i < found->nr; i++) {
		const struct finding *x = &found->items[i];

		if (!is_shown(brief, x))
			continue;
		add_finding(g, x);
		if (has_advice(found, x))
			add_advice(g, found, x);
	}
	return text_grid__lay_out(g);
}

static void put_all(const struct text_grid *g, struct writer *w, const struct findings *found,
		    bool brief)
{
	const char *area = NULL;
	size_t line = 0;

	for (size_t i = 0; i < found->nr; i++) {
		const struct finding *x = &found->items[i];

		if (!is_shown(brief, x))
			continue;
		if (!area || strcmp(area, x->area)) {
			writer__puts(w, area ? "\n" : "");
			writer__puts(w, g->color ? CELL_BOLD : "");
			writer__puts(w, x->area);
			writer__puts(w, g->color ? CELL_PLAIN : "");
			writer__putc(w, '\n');
		}
		area = x->area;
		for (size_t n = nr_lines(found, x); n; n--)
			text_grid__put_line(g, w, line++);
	}
	writer__puts(w, area ? "\n" : "");
}

static void put_sum(struct writer *w, const struct findings *found, bool color)
{
	size_t nr[FINDING_NR] = {};

	for (size_t i = 0; i < found->nr; i++)
		nr[found->items[i].state]++;
	for (unsigned s = 0; s < FINDING_NR; s++)
		writer__printf(w, "%s%zu %s", s ? ", " : "", nr[s], finding_state__name(s));
	writer__puts(w, ": ");
	writer__puts(w, color ? color_of(found->ready ? FINDING_OK : FINDING_MISSING) : "");
	writer__printf(w, "pmutrace profile %s run", found->ready ? "can" : "cannot");
	writer__puts(w, color ? CELL_PLAIN : "");
	writer__putc(w, '\n');
}

int print__findings_table(FILE *f, const struct findings *found,
			  const struct findings_table_opts *o)
{
	struct text_grid g = { .width = o->width, .color = o->color, .indent = 2 };
	struct writer w = { .f = f };
	int err = lay_out(&g, found, o->brief), end;

	if (!err)
		put_all(&g, &w, found, o->brief);
	put_sum(&w, found, o->color);
	end = writer__end(&w);
	text_grid__free(&g);
	return err ? err : end;
}

static void put_row(struct json *j, const struct finding *x)
{
	json__line(j);
	json__open(j, NULL);
	json__open(j, "key");
	json__string(j, "name", x->name);
	json__string(j, "area", x->area);
	if (x->subject)
		json__string(j, "subject", x->subject);
	json__close(j);
	json__string(j, "state", finding_state__name(x->state));
	json__string(j, "found", x->found);
	json__string(j, "cost", x->cost);
	json__string(j, "fix", x->fix);
	json__close(j);
}

int print__findings_json(FILE *f, const struct findings *found, const char *command)
{
	struct json j;

	json__begin(&j, f, command, true);
	json__line(&j);
	json__open_array(&j, "rows");
	for (size_t i = 0; i < found->nr; i++)
		put_row(&j, &found->items[i]);
	json__close_array(&j);
	json__line(&j);
	json__bool(&j, "ready", found->ready);
	return json__end(&j);
}
