// SPDX-License-Identifier: BSD-2-Clause
/* Which events columns need: those of one formula are counted together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "columns/column_defs_state.h"

struct needed {
	const char *name;
	bool turns;
	size_t group; /* index of its group's first event */
	bool done;
};

struct needs {
	const struct column_defs *d;
	int (*look)(void *arg, const char *event, bool *turns, struct buf *why);
	void *arg;
	struct strtab *names;
	struct needed *items;
	size_t nr, cap;
	size_t with; /* the first event of the formula; SIZE_MAX: none yet */
	const struct column_set *explicit;
	struct buf *out;
};

/* Appends an event or a list of them as it is written. */
static int put_text(struct needs *n, const char *text)
{
	int err = n->out->len ? buf__puts(n->out, ",") : 0;

	return err ? err : buf__puts(n->out, text);
}

static int find(struct needs *n, const char *event, size_t *index, struct buf *why)
{
	struct needed new = {};
	uint32_t id;
	int err;

	for (*index = 0; *index < n->nr; ++*index)
		if (!strcmp(n->items[*index].name, event))
			return 0;
	err = n->look(n->arg, event, &new.turns, why);
	if (!err)
		err = strtab__add(n->names, event, strlen(event), &id);
	if (!err)
		err = array__grow(&n->items, &n->cap, n->nr + 1);
	if (err)
		return err;
	new.name = strtab__get(n->names, id);
	new.group = n->nr;
	n->items[n->nr++] = new;
	return 0;
}

/* Makes one group of two; the event that was needed first is its leader. */
static void join(struct needs *n, size_t a, size_t b)
{
	size_t to = n->items[a].group, from = n->items[b].group;

	if (to > from) {
		to = n->items[b].group;
		from = n->items[a].group;
	}
	for (size_t i = 0; i < n->nr; i++)
		if (n->items[i].group == from)
			n->items[i].group = to;
}

static int on_event(void *arg, struct formula *f, const char *event, struct buf *why)
{
	struct needs *n = arg;
	size_t index;
	int err = find(n, event, &index, why);

	if (err)
		return err;
	if (n->items[index].turns) {
		if (n->with == SIZE_MAX)
			n->with = index;
		else
			join(n, n->with, index);
	}
	return formula__put_value(f, COLUMN_EVENTS + index, why);
}

static int on_column(void *arg, const struct column_choice *c, struct buf *why)
{
	struct needs *n = arg;
	struct formula f = {};
	int err;

	if (c->set && c->set->events) {
		err = n->explicit == c->set ? 0 : put_text(n, c->set->events);
		n->explicit = c->set;
		return err;
	}
	n->with = SIZE_MAX;
	err = column_defs__compile(n->d, c, on_event, n, &f, why);
	formula__free(&f);
	return err;
}

static bool has_others(const struct needs *n, size_t index)
{
	for (size_t i = index + 1; i < n->nr; i++)
		if (n->items[i].group == n->items[index].group)
			return true;
	return false;
}

static int put_group(struct needs *n, size_t first)
{
	int err = put_text(n, "{");

	for (size_t i = first; i < n->nr && !err; i++) {
		if (n->items[i].group != n->items[first].group)
			continue;
		n->items[i].done = true;
		err = i == first ? 0 : buf__puts(n->out, ",");
		if (!err)
			err = buf__puts(n->out, n->items[i].name);
	}
	return err ? err : buf__puts(n->out, "}");
}

static int put_all(struct needs *n)
{
	int err = 0;

	for (size_t i = 0; i < n->nr && !err; i++) {
		if (n->items[i].done)
			continue;
		err = has_others(n, i) ? put_group(n, i) : put_text(n, n->items[i].name);
	}
	return err;
}

int column_defs__events(const struct column_defs *d, const char *choice,
			int (*look)(void *arg, const char *event, bool *turns, struct buf *why),
			void *arg, struct buf *out, struct buf *why)
{
	struct needs n = { .d = d, .look = look, .arg = arg, .out = out, .names = strtab__new() };
	int err = n.names ? buf__puts(out, "") : -ENOMEM;

	if (!err)
		err = column_defs__each(d, choice, on_column, &n, why);
	if (!err)
		err = put_all(&n);
	free(n.items);
	strtab__free(n.names);
	return err;
}
