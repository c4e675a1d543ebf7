// SPDX-License-Identifier: BSD-2-Clause
/* Computes, formats, sorts and explains the values of columns that were chosen. */
#include "columns/columns.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "base/utf8.h"
#include "columns/columns_state.h"

static int keep(struct strtab *texts, const char *s, const char **out)
{
	struct buf text = {};
	uint32_t id;
	int err = utf8__put_valid(&text, s, strlen(s));

	if (!err)
		err = strtab__add(texts, text.len ? text.data : "", text.len, &id);
	if (!err)
		*out = strtab__get(texts, id);
	buf__free(&text);
	return err;
}

int columns__keep(struct columns *c, const char *s, const char **out)
{
	return keep(c->own->texts, s, out);
}

int column__word(const struct column *c, struct buf *out)
{
	/* One that is called as a column is has them already. */
	bool is_bare = c->is_event && c->name[0] != '\'' && c->name[formula__name(c->name)];

	return is_bare ? buf__printf(out, "'%s'", c->name) : buf__puts(out, c->name);
}

int columns__find(const struct columns *c, const char *name)
{
	for (size_t i = 0; i < c->nr; i++)
		if (!strcmp(c->items[i].name, name))
			return i;
	return -1;
}

bool columns__need_tasks(const struct columns *c)
{
	for (size_t i = 0; i < c->nr; i++)
		for (size_t k = 0; k < c->items[i].does->nr; k++)
			if (c->items[i].does->ops[k].type == FORMULA_VALUE &&
			    c->items[i].does->ops[k].value == COLUMN_OF_TASKS)
				return true;
	return false;
}

/* 0: it has no value. */
static double event_share(const struct live_about *about, size_t event)
{
	const struct live_event *e = event < about->nr_events ? &about->events[event] : NULL;

	if (!e || e->why || event + LIVE_EVENTS >= LIVE_VALUES)
		return 0;
	if (e->group < 0)
		return 1;
	if (!e->running_ns)
		return 0;
	return e->running_ns < e->enabled_ns ? (double)e->running_ns / e->enabled_ns : 1;
}

double column__share(const struct column *c, const struct live_about *about)
{
	double least = 1;

	for (size_t i = 0; i < c->does->nr; i++) {
		size_t event = column__event(&c->does->ops[i]);

		if (event != SIZE_MAX)
			least = fmin(least, event_share(about, event));
	}
	return least;
}

static int explain_column(struct column *column, const struct live_about *about,
			  struct strtab *whys)
{
	for (size_t i = 0; i < column->does->nr; i++) {
		size_t event = column__event(&column->does->ops[i]);
		struct buf text = {};
		int err;

		if (event >= about->nr_events || event_share(about, event) > 0)
			continue;
		if (about->events[event].why)
			return keep(whys, about->events[event].why, &column->why);
		err = buf__printf(&text, "others took the counters in this interval, %s had none",
				  about->events[event].name);
		if (!err)
			err = keep(whys, text.data, &column->why);
		buf__free(&text);
		return err;
	}
	return 0;
}

int columns__explain(struct columns *c, const struct live_about *about)
{
	struct strtab *whys;
	int err = 0;

	if (!c->nr)
		return 0;
	whys = strtab__new();
	if (!whys)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr; i++) {
		c->items[i].why = NULL;
		err = err ? err : explain_column(&c->items[i], about, whys);
	}
	strtab__free(c->own->whys);
	c->own->whys = whys;
	return err;
}

struct place {
	const struct live_about *about;
	const struct live_row *row;
};

static double value_of(void *arg, uint32_t which)
{
	const struct place *p = arg;
	double share;

	switch (which) {
	case COLUMN_OF_TIME:
		return p->row->values[LIVE_TIME];
	case COLUMN_OF_SWITCHES:
		return p->row->values[LIVE_SWITCHES];
	case COLUMN_OF_TASKS:
		return p->row->nr_tasks ? p->row->nr_tasks : NAN;
	case COLUMN_OF_INTERVAL:
		return p->about->interval_ns ? p->about->interval_ns : NAN;
	default:
		which -= COLUMN_EVENTS;
		share = event_share(p->about, which);
		if (!(share > 0))
			return NAN;
		return p->row->values[LIVE_EVENTS + which] / share *
		       live_event__scale(&p->about->events[which]);
	}
}

double column__value(const struct column *c, const struct live_about *about,
		     const struct live_row *row)
{
	struct place p = { about, row };

	return formula__compute(c->does, value_of, &p);
}

void column__text(const struct column *c, double value, char text[READABLE_CHARS])
{
	const bool negative = value < 0;
	char *at = text + negative;
	char number[READABLE_CHARS];

	if (isnan(value)) {
		strcpy(text, "-");
		return;
	}
	value = fabs(value);
	text[0] = '-';
	if (c->form == COLUMN_TIME)
		readable__time(value, number);
	else if (c->form == COLUMN_COUNT || value >= 1e6)
		readable__number(value, number);
	else
		snprintf(number, sizeof(number), "%.*f", c->form == COLUMN_RATIO ? 2 : 1, value);
	memcpy(at, number, strnlen(number, READABLE_CHARS - 2) + 1);
	text[READABLE_CHARS - 1] = '\0';
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct live_row *x = a, *y = b;
	const bool *invert = arg;

	if (isnan(x->key) != isnan(y->key))
		return isnan(x->key) ? 1 : -1;
	if (x->key != y->key && !isnan(x->key))
		return (x->key < y->key) == *invert ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

void columns__sort(const struct column *by, const struct live_about *about, struct live_rows *rows,
		   bool invert)
{
	for (size_t i = 0; i < rows->nr; i++)
		rows->items[i].key = column__value(by, about, &rows->items[i]);
	if (rows->nr > 1)
		qsort_r(rows->items, rows->nr, sizeof(*rows->items), compare, &invert);
}

void columns__free(struct columns *c)
{
	for (size_t i = 0; i < c->nr; i++) {
		formula__free(c->items[i].does);
		free(c->items[i].does);
	}
	free(c->items);
	if (c->own) {
		strtab__free(c->own->texts);
		strtab__free(c->own->whys);
	}
	free(c->own);
	*c = (struct columns){};
}
