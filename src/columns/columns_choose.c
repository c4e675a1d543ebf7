// SPDX-License-Identifier: BSD-2-Clause
/* Which columns are shown: names and formulas become something to compute. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "columns/columns_state.h"

/* While columns are chosen. */
struct choosing {
	struct columns *c;
	const struct column_defs *defs;
	const struct live_event *events;
	size_t nr;
	bool spare;
	bool sets;   /* a set would do */
	size_t last; /* the column that was added, or was there */
};

static int unknown(const struct choosing *ch, const char *name, struct buf *why)
{
	int err = column_defs__missing(ch->defs, name, ch->sets, ch->events, ch->nr, why);

	return err ? err : -EINVAL;
}

static int put_event(void *arg, struct formula *f, const char *event, struct buf *why)
{
	const struct choosing *ch = arg;

	for (size_t i = 0; i < ch->nr; i++)
		if (!strcmp(ch->events[i].name, event))
			return formula__put_value(f, COLUMN_EVENTS + i, why);
	return unknown(ch, event, why);
}

static int check_groups(const struct choosing *ch, const struct formula *f, struct buf *why)
{
	const struct live_event *first = NULL;

	for (size_t i = 0; i < f->nr; i++) {
		size_t event = column__event(&f->ops[i]);
		const struct live_event *e = event < ch->nr ? &ch->events[event] : NULL;

		if (!e || e->group < 0 || e->why)
			continue;
		if (!first)
			first = e;
		if (e->group == first->group)
			continue;
		return buf__printf(why,
				   "%s and %s are not counted together, so what one is of the "
				   "other is not known: -e '{%s,%s}' counts them together",
				   first->name, e->name, first->name, e->name)
			       ? -ENOMEM
			       : -EINVAL;
	}
	return 0;
}

/* The first event that is not counted. NULL: all are. */
static const struct live_event *find_absent(const struct choosing *ch, const struct formula *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		size_t event = column__event(&f->ops[i]);

		if (event < ch->nr && ch->events[event].why)
			return &ch->events[event];
	}
	return NULL;
}

/* Takes the formula, also on error. */
static int append(struct choosing *ch, const struct column *texts, struct formula *f)
{
	const struct live_event *absent = find_absent(ch, f);
	struct columns *c = ch->c;
	struct column column = {
		.form = texts->form,
		.is_event = texts->is_event,
		.does = calloc(1, sizeof(*f)),
	};
	int err = column.does ? array__grow(&c->items, &c->cap, c->nr + 1) : -ENOMEM;

	if (!err)
		err = columns__keep(c, texts->name, &column.name);
	if (!err)
		err = columns__keep(c, texts->title, &column.title);
	if (!err)
		err = columns__keep(c, texts->formula, &column.formula);
	if (!err && texts->help)
		err = columns__keep(c, texts->help, &column.help);
	if (!err && absent)
		err = columns__keep(c, absent->why, &column.why);
	if (err) {
		free(column.does);
		formula__free(f);
		return err;
	}
	*column.does = *f;
	ch->last = c->nr;
	c->items[c->nr++] = column;
	return 0;
}

static struct column texts_of(const struct column_choice *choice)
{
	const struct column_def *def = choice->def;

	if (def)
		return (struct column){ .name = def->name,
					.title = def->title,
					.formula = def->formula,
					.help = def->help,
					.form = def->form };
	return (struct column){
		.name = choice->text,
		.title = choice->text,
		.formula = choice->text,
		.form = !choice->is_event && strchr(choice->text, '/') ? COLUMN_RATIO
								       : COLUMN_COUNT,
		.is_event = choice->is_event,
	};
}

/* An event with the name of a column is put in quotes, as people write it. */
static int name_apart(struct column *texts, const char *name, struct buf *quoted)
{
	int err = buf__printf(quoted, "'%s'", name);

	texts->name = texts->formula = quoted->data;
	return err;
}

/* Whether the column is left out if it has no value. */
static bool is_spare(const struct choosing *ch, const struct column_choice *choice)
{
	return choice->set && (ch->spare || choice->set == column_defs__set(ch->defs, "default"));
}

static int compile(struct choosing *ch, const struct column_choice *choice, struct formula *f,
		   struct buf *why)
{
	int err = column_defs__compile(ch->defs, choice, put_event, ch, f, why);

	if (err)
		return err;
	err = check_groups(ch, f, why);
	if (err == -EINVAL && is_spare(ch, choice))
		log__notice("no column %s: %s", choice->text, why->data);
	return err;
}

static int add(struct choosing *ch, const struct column_choice *choice, const struct column *texts,
	       struct buf *why)
{
	const bool spare = is_spare(ch, choice);
	struct formula f = {};
	struct buf said = {};
	int err = compile(ch, choice, &f, &said);

	if (err == -EINVAL && !spare && said.len)
		err = buf__puts(why, said.data) ? -ENOMEM : -EINVAL;
	buf__free(&said);
	if (!err && !(spare && find_absent(ch, &f)))
		return append(ch, texts, &f);
	formula__free(&f);
	return err == -EINVAL && spare ? 0 : err;
}

static int on_column(void *arg, const struct column_choice *choice, struct buf *why)
{
	struct column texts = texts_of(choice);
	struct choosing *ch = arg;
	struct buf quoted = {};
	int err = 0, at;

	if (choice->is_event && column_defs__column(ch->defs, choice->text))
		err = name_apart(&texts, choice->text, &quoted);
	at = err ? -1 : columns__find(ch->c, texts.name);
	if (at >= 0)
		ch->last = at;
	else if (!err)
		err = add(ch, choice, &texts, why);
	buf__free(&quoted);
	return err;
}

static int ready(struct columns *c)
{
	if (c->own)
		return 0;
	c->own = calloc(1, sizeof(*c->own));
	if (!c->own)
		return -ENOMEM;
	c->own->texts = strtab__new();
	return c->own->texts ? 0 : -ENOMEM;
}

int columns__choose(struct columns *c, const struct column_defs *defs, const char *choice,
		    const struct live_event *events, size_t nr, bool spare, struct buf *why)
{
	struct columns new = {};
	struct choosing ch = { &new, defs, events, nr, spare, true, 0 };
	int err = ready(&new);

	if (!err)
		err = column_defs__each(defs, choice, on_column, &ch, why);
	if (err) {
		columns__free(&new);
		return err;
	}
	columns__free(c);
	*c = new;
	return 0;
}

static bool shows_event(const struct column *c, size_t event)
{
	return c->does->nr == 1 && column__event(&c->does->ops[0]) == event;
}

int columns__add_event(struct columns *c, const struct live_event *events, size_t event)
{
	struct choosing ch = { .c = c, .events = events, .nr = event + 1 };
	const char *name = events[event].name;
	struct column texts = { .name = name, .title = name, .formula = name, .is_event = true };
	struct formula f = {};
	struct buf quoted = {}, why = {};
	int err = ready(c);

	for (size_t i = 0; i < c->nr; i++)
		if (shows_event(&c->items[i], event))
			return 0;
	/* One of the user's own naming may be called as a column is. */
	if (!err && columns__find(c, name) >= 0)
		err = name_apart(&texts, name, &quoted);
	if (!err)
		err = formula__put_value(&f, COLUMN_EVENTS + event, &why);
	if (!err)
		err = append(&ch, &texts, &f);
	buf__free(&quoted);
	buf__free(&why);
	return err;
}

int columns__add(struct columns *c, const struct column_defs *defs, const char *name,
		 const struct live_event *events, size_t nr, size_t *index, struct buf *why)
{
	struct choosing ch = { c, defs, events, nr, false, false, 0 };
	int err = ready(c);

	if (!err && column_defs__set(defs, name) && columns__find(c, name) < 0)
		err = buf__printf(why, "'%s' is a set of columns, not one", name) ? -ENOMEM
										  : -EINVAL;
	if (!err)
		err = column_defs__each(defs, name, on_column, &ch, why);
	*index = ch.last;
	return err;
}
