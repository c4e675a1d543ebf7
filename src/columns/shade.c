// SPDX-License-Identifier: BSD-2-Clause
/* Compiles a formula over the events of a profile's group, and computes it. */
#include "columns/shade.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "columns/column_defs.h"
#include "event/event.h"

enum { EVENTS_MAX = 16 };

struct shade {
	const struct profile *p; /* while it is opened */
	struct formula formula;
	char *title;
	uint32_t events[EVENTS_MAX];
	size_t nr_events;
};

/* What is done with each name of the one column that is chosen. */
struct chosen {
	const struct column_defs *defs;
	column_event_fn *event;
	void *arg;
	struct formula *formula;
	char **title;
	bool has_one;
};

static int on_column(void *arg, const struct column_choice *c, struct buf *why)
{
	struct chosen *n = arg;

	if (c->set || n->has_one)
		return why__refuse(why, -EINVAL,
				   "one column or formula is shown as colour: ipc, "
				   "'1000 * cache-misses / instructions'");
	n->has_one = true;
	*n->title = strdup(c->def ? c->def->title : c->text);
	if (!*n->title)
		return -ENOMEM;
	return column_defs__compile(n->defs, c, n->event, n->arg, n->formula, why);
}

static int compile(const char *text, column_event_fn *event, void *arg, struct formula *formula,
		   char **title, struct buf *why)
{
	struct column_defs *defs = column_defs__new();
	struct chosen names = {
		.defs = defs,
		.event = event,
		.arg = arg,
		.formula = formula,
		.title = title,
	};
	int err = defs ? column_defs__each(defs, text, on_column, &names, why) : -ENOMEM;

	column_defs__free(defs);
	return err;
}

struct needs {
	int (*each)(void *arg, const char *event, struct buf *why);
	void *arg;
};

static int need(void *arg, struct formula *f, const char *event, struct buf *why)
{
	const struct needs *n = arg;
	int err = n->each(n->arg, event, why);

	return err ? err : formula__put_value(f, COLUMN_EVENTS, why);
}

int shade__needs(const char *formula, int (*each)(void *arg, const char *event, struct buf *why),
		 void *arg, struct buf *why)
{
	struct needs needs = { each, arg };
	struct formula f = {};
	char *title = NULL;
	int err = compile(formula, need, &needs, &f, &title, why);

	formula__free(&f);
	free(title);
	return err;
}

/* How well a name fits an event: as it is; with those modifiers; with others; 0: not. */
static unsigned fit_of(const struct profile_event *e, const char *name, const char *modifiers)
{
	if (!strcmp(e->name, name))
		return 3;
	if (!perf_event__is_bare_name(e->name, name))
		return 0;
	return strcmp(perf_event__modifiers(e->name), modifiers) ? 1 : 2;
}

static bool is_of_group(const struct profile *p, uint32_t event)
{
	const struct profile_event *e = &p->events[event];

	return e->is_member ? !strcmp(e->leader, p->events->name) : !event;
}

static int find(const struct profile *p, const char *name, uint32_t *event, struct buf *why)
{
	const char *modifiers = perf_event__modifiers(p->events->name);
	unsigned best = 0, fit;
	bool is_other = false;

	for (uint32_t i = 0; i < p->nr_events; i++) {
		fit = fit_of(&p->events[i], name, modifiers);
		is_other |= fit && !is_of_group(p, i);
		if (!is_of_group(p, i) || fit <= best)
			continue;
		best = fit;
		*event = i;
	}
	if (best)
		return 0;
	return why__refuse(why, -EINVAL,
			   is_other ? "'%s' was sampled by itself, not counted at the samples of "
				      "'%s': profile -e '{%s,%s}' does so"
				    : "'%s' was not counted at the samples of '%s': profile "
				      "--color, or -e '{%s,%s}', does so",
			   name, p->events->name, p->events->name, name);
}

static int put_event(void *arg, struct formula *f, const char *event, struct buf *why)
{
	struct shade *s = arg;
	uint32_t id = 0;
	size_t i = 0;
	int err = find(s->p, event, &id, why);

	if (err)
		return err;
	while (i < s->nr_events && s->events[i] != id)
		i++;
	if (i == EVENTS_MAX)
		return why__refuse(why, -EINVAL, "a formula of more than %d events", EVENTS_MAX);
	if (i == s->nr_events)
		s->events[s->nr_events++] = id;
	return formula__put_value(f, COLUMN_EVENTS + i, why);
}

/*
 * Values become indices into the events. `time` is what a clock has counted; rows of samples tell
 * nothing else but events.
 */
static int place_values(struct shade *s, struct buf *why)
{
	bool has_time = false;

	for (size_t i = 0; i < s->formula.nr; i++) {
		struct formula_op *op = &s->formula.ops[i];

		if (op->type != FORMULA_VALUE)
			continue;
		if (op->value >= COLUMN_EVENTS) {
			op->value -= COLUMN_EVENTS;
			continue;
		}
		if (op->value != COLUMN_OF_TIME || strcmp(s->p->events->unit, "ns"))
			return why__refuse(why, -EINVAL,
					   "samples of '%s' tell no other than events%s",
					   s->p->events->name,
					   op->value == COLUMN_OF_TIME
						   ? ": 'time' is of cpu-clock and task-clock"
						   : "");
		op->value = s->nr_events;
		has_time = true;
	}
	if (has_time)
		s->events[s->nr_events++] = 0;
	return 0;
}

int shade__open(struct shade **out, const char *formula, const struct profile *p, struct buf *why)
{
	struct shade *s;
	int err;

	*out = NULL;
	if (!p->nr_events)
		return why__refuse(why, -EINVAL, "there are no samples to colour");
	if (p->events->is_partly)
		return why__refuse(why, -EINVAL,
				   "the files do not all tell what was counted at the samples of "
				   "'%s': those that do, alone",
				   p->events->name);
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->p = p;
	err = compile(formula, put_event, s, &s->formula, &s->title, why);
	if (!err && s->nr_events == EVENTS_MAX)
		err = why__refuse(why, -EINVAL, "a formula of %d events or more", EVENTS_MAX);
	if (!err)
		err = place_values(s, why);
	s->p = NULL;
	if (err)
		shade__free(s);
	else
		*out = s;
	return err;
}

void shade__free(struct shade *s)
{
	if (!s)
		return;
	formula__free(&s->formula);
	free(s->title);
	free(s);
}

const char *shade__title(const struct shade *s)
{
	return s->title;
}

size_t shade__events(const struct shade *s, const uint32_t **events)
{
	*events = s->events;
	return s->nr_events;
}

size_t shade__ops(const struct shade *s, const struct formula_op **ops)
{
	*ops = s->formula.ops;
	return s->formula.nr;
}

static double count_of(void *counts, uint32_t which)
{
	return ((const uint64_t *)counts)[which];
}

double shade__value(const struct shade *s, const uint64_t *counts)
{
	return formula__compute(&s->formula, count_of, (void *)counts);
}
