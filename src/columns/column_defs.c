// SPDX-License-Identifier: BSD-2-Clause
/* Looks columns and sets up by name; splits a choice into its columns; compiles their formulas. */
#include "columns/column_defs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "columns/column_defs_state.h"

enum { CHAIN_MAX = 16 }; /* columns made of columns */

struct column_defs *column_defs__new(void)
{
	struct column_defs *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->texts = strtab__new();
	if (d->texts)
		return d;
	free(d);
	return NULL;
}

void column_defs__free(struct column_defs *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->nr_sets; i++)
		free(d->sets[i].words);
	free(d->sets);
	free(d->columns);
	strtab__free(d->texts);
	free(d);
}

const struct column_def *column_defs__column_at(const struct column_defs *d, size_t i)
{
	return i < d->nr_columns ? &d->columns[i] : built_in_column(i - d->nr_columns);
}

const struct column_set *column_defs__set_at(const struct column_defs *d, size_t i)
{
	return i < d->nr_sets ? &d->sets[i] : built_in_set(i - d->nr_sets);
}

const struct column_def *column_defs__column(const struct column_defs *d, const char *name)
{
	const struct column_def *c;

	for (size_t i = 0; (c = column_defs__column_at(d, i)); i++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static bool users_default(const struct column_defs *d)
{
	for (size_t i = 0; i < d->nr_sets; i++)
		if (!strcmp(d->sets[i].name, DEFAULT_SET))
			return true;
	return false;
}

void column_defs__set_no_pmu(struct column_defs *d)
{
	d->has_no_pmu = true;
}

const struct column_set *column_defs__set(const struct column_defs *d, const char *name)
{
	const struct column_set *s;

	if (d->has_no_pmu && !strcmp(name, DEFAULT_SET) && !users_default(d))
		name = SOFTWARE_SET;
	for (size_t i = 0; (s = column_defs__set_at(d, i)); i++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

static bool has_name(const char **names, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

int column_defs__suggest(const struct column_defs *d, const char *name, bool set,
			 const struct live_event *events, size_t nr, struct buf *why)
{
	size_t most = d->nr_columns + built_in_columns() + d->nr_sets + built_in_sets() + nr;
	const char **names = calloc(most, sizeof(*names));
	const struct column_def *c;
	const struct column_set *s;
	size_t n = 0;
	int err;

	if (!names)
		return -ENOMEM;
	/* The user's own hide those built in: a name is told once. */
	for (size_t i = 0; (c = column_defs__column_at(d, i)); i++)
		if (!has_name(names, n, c->name))
			names[n++] = c->name;
	for (size_t i = 0; set && (s = column_defs__set_at(d, i)); i++)
		if (!has_name(names, n, s->name))
			names[n++] = s->name;
	for (size_t i = 0; i < nr; i++)
		if (!has_name(names, n, events[i].name))
			names[n++] = events[i].name;
	err = suggest_or_list(why, name, names, n);
	free(names);
	return err;
}

void column_defs__on_missing(struct column_defs *d, column_missing_fn *fn, void *arg)
{
	d->missing = fn;
	d->missing_arg = arg;
}

int column_defs__missing(const struct column_defs *d, const char *name, bool set,
			 const struct live_event *events, size_t nr, struct buf *why)
{
	int err;

	if (d->missing)
		return d->missing(d->missing_arg, name, why);
	err = buf__printf(why, "there is no column '%s', and no such event is counted", name);
	return err ? err : column_defs__suggest(d, name, set, events, nr, why);
}

int column_value__of(const char *name)
{
	static const char *const names[] = {
		[COLUMN_OF_TIME] = "time",
		[COLUMN_OF_SWITCHES] = "switches",
		[COLUMN_OF_TASKS] = "tasks",
		[COLUMN_OF_INTERVAL] = "interval",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

/* How long the first of a list is: up to a comma that is not in quotes. */
static size_t item_length(const char *s)
{
	const char *at = s;

	for (; *at && *at != ','; at++) {
		const char *end = *at == '\'' ? strchr(at + 1, '\'') : NULL;

		if (end)
			at = end;
	}
	return at - s;
}

/* "'cpu/event=0x3c/'" and nothing else becomes what is in the quotes. */
static bool take_quotes(struct buf *text)
{
	char *end = text->data[0] == '\'' ? strchr(text->data + 1, '\'') : NULL;

	if (!end || end[1] || end == text->data + 1)
		return false;
	*end = '\0';
	memmove(text->data, text->data + 1, end - text->data);
	text->len -= 2;
	return true;
}

static bool is_plain_name(const char *s)
{
	size_t len = formula__name(s);

	return len && !s[len];
}

static int each_of_set(const struct column_defs *d, const struct column_set *set,
		       int (*each)(void *arg, const struct column_choice *c, struct buf *why),
		       void *arg, struct buf *why)
{
	int err = 0;

	for (size_t i = 0; i < set->nr && !err; i++) {
		const struct column_choice c = {
			.set = set,
			.def = column_defs__column(d, set->words[i]),
			.text = set->words[i],
			.is_event = !column_defs__column(d, set->words[i]),
		};

		err = each(arg, &c, why);
	}
	return err;
}

static int each_of_item(const struct column_defs *d, struct buf *item,
			int (*each)(void *arg, const struct column_choice *c, struct buf *why),
			void *arg, struct buf *why)
{
	const struct column_set *set = column_defs__set(d, item->data);
	struct column_choice c = { .def = column_defs__column(d, item->data) };

	if (set)
		return each_of_set(d, set, each, arg, why);
	if (!c.def)
		c.is_event = take_quotes(item) ||
			     (is_plain_name(item->data) && column_value__of(item->data) < 0);
	c.text = item->data;
	return each(arg, &c, why);
}

int column_defs__each(const struct column_defs *d, const char *choice,
		      int (*each)(void *arg, const struct column_choice *c, struct buf *why),
		      void *arg, struct buf *why)
{
	const char *at = choice;
	struct buf item = {};
	int err = 0;

	for (bool more = true; more && !err; at++) {
		size_t len = item_length(at), blanks = strspn(at, " \t");
		const char *end = at + len;

		more = *end;
		buf__clear(&item);
		while (blanks < len && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
		if (blanks >= len) {
			err = buf__printf(why, "a name is missing in '%s'", choice) ? -ENOMEM
										    : -EINVAL;
			break;
		}
		err = buf__put(&item, at + blanks, end - at - blanks);
		if (!err)
			err = each_of_item(d, &item, each, arg, why);
		at += len;
	}
	buf__free(&item);
	return err;
}

/* What a formula is of, up to the one asked for. */
struct chain {
	const struct column_defs *d;
	const struct column_def *def;
	const struct chain *up;
	column_event_fn *event;
	void *arg;
};

static int put_name(void *arg, struct formula *f, const char *name, bool quoted, struct buf *why);

static int put_column(const struct chain *up, struct formula *f, const struct column_def *def,
		      struct buf *why)
{
	struct chain chain = { up->d, def, up, up->event, up->arg };
	const struct formula_names names = { put_name, &chain };
	const char *what = NULL;
	size_t depth = 0;

	for (; up && !what; up = up->up) {
		if (up->def == def)
			what = "made of itself";
		else if (++depth > CHAIN_MAX)
			what = "made of too many others, one of the other";
	}
	if (what)
		return buf__printf(why, "the column %s is %s", def->name, what) ? -ENOMEM : -EINVAL;
	return formula__parse(f, def->formula, &names, why);
}

static int put_name(void *arg, struct formula *f, const char *name, bool quoted, struct buf *why)
{
	const struct chain *chain = arg;
	const struct column_def *def;
	int value = quoted ? -1 : column_value__of(name);

	if (value >= 0)
		return formula__put_value(f, value, why);
	def = quoted ? NULL : column_defs__column(chain->d, name);
	if (def)
		return put_column(chain, f, def, why);
	return chain->event(chain->arg, f, name, why);
}

int column_defs__compile(const struct column_defs *d, const struct column_choice *c,
			 column_event_fn *event, void *arg, struct formula *f, struct buf *why)
{
	struct chain chain = { .d = d, .event = event, .arg = arg };
	const struct formula_names names = { put_name, &chain };

	if (c->is_event)
		return event(arg, f, c->text, why);
	return c->def ? put_column(&chain, f, c->def, why)
		      : formula__parse(f, c->text, &names, why);
}
