// SPDX-License-Identifier: BSD-2-Clause
/* top: counts other events while it runs, and lists the columns to choose from. */
#include "cmd/top_change.h"

#include <errno.h>
#include <string.h>

#include "cmd/top_columns.h"
#include "cmd/top_thrift.h"
#include "lookup/lookup_reader.h"
#include "lookup/resolve.h"
#include "plan/returns.h"

static int refuse(struct buf *why, const char *text)
{
	return buf__puts(why, text) ? -ENOMEM : -EINVAL;
}

static bool are_same(const struct perf_events *a, const struct perf_events *b)
{
	if (a->nr != b->nr)
		return false;
	for (size_t i = 0; i < a->nr; i++)
		if (strcmp(a->items[i].name, b->items[i].name))
			return false;
	return true;
}

/* r->top becomes a session that counts r->events; the one before is in *old, still open. */
static int open_other(struct top_run *r, struct top_tasks **old, struct buf *why)
{
	const struct top_tasks_opts opts = { .events = &r->events, .measures_all = r->overhead };
	struct top_tasks *top;
	int err = top_tasks__open(&top, &opts, why);

	if (!err)
		err = top_tasks__start(top);
	if (err) {
		top_tasks__close(top);
		return err;
	}
	*old = r->top;
	r->top = top;
	r->live = top_tasks__live(top);
	return 0;
}

/* Takes @events over: they are counted from now on. On error all is as before. */
static int recount(struct top_run *r, const char *choice, struct perf_events *events,
		   struct buf *why)
{
	struct perf_events old_events = r->events;
	struct top_tasks *old = NULL;
	int err;

	r->events = *events;
	err = open_other(r, &old, why);
	if (!err)
		err = top_columns__choose(r, choice);
	if (!err) {
		top_thrift__note_end(r, top_tasks__own_ns(old));
		top_tasks__close(old);
		perf_events__free(&old_events);
		return top_thrift__renew(r, NULL);
	}
	if (old) {
		top_tasks__close(r->top);
		r->top = old;
		r->live = top_tasks__live(old);
	}
	perf_events__free(&r->events);
	r->events = old_events;
	return err;
}

/* Moves what r->why says to @why, so that it is not told again later. */
static int answer(struct top_run *r, int err, struct buf *why)
{
	if (err && !why->len && r->why.len && buf__puts(why, r->why.data))
		err = -ENOMEM;
	buf__clear(&r->why);
	return err;
}

int top_change__columns(struct top_run *r, const char *choice, struct buf *why)
{
	bool stays = top_columns__counts_stay(r);
	struct perf_events events = {};
	int err = 0;

	r->sort_by = NULL;
	if (!stays)
		err = top_columns__events_of(r, choice, &events);
	if (!err && (stays || are_same(&events, &r->events)))
		err = top_columns__choose(r, choice);
	else if (!err) {
		err = recount(r, choice, &events, why);
		events = (struct perf_events){};
	}
	perf_events__free(&events);
	return answer(r, err, why);
}

int top_change__events(struct top_run *r, const char *text, struct buf *why)
{
	static const char always[] = "cpu,switches";
	const struct perf_event_env env = resolve__by(r->lookups);
	bool asked = r->events_asked;
	struct perf_events events = {};
	int err;

	if (!r->top)
		return refuse(why, "what was recorded is what there is");
	if (top_feed__is_record(r->feed))
		return refuse(why, "events stay as they are in a recording");
	err = perf_events__parse(&events, &env, text, why);
	if (!err)
		err = returns__check(&events, &env, why);
	lookup_reader__rest(r->lookups);
	if (err) {
		perf_events__free(&events);
		return err;
	}
	r->sort_by = NULL;
	r->events_asked = true;
	err = recount(r, always, &events, why);
	if (err)
		r->events_asked = asked;
	return answer(r, err, why);
}

static int add_columns(struct top_run *r, struct chooser *into)
{
	const struct column_def *def;
	struct buf why = {};
	int err = 0;

	for (size_t i = 0; !err && (def = column_defs__column_at(r->defs, i)); i++) {
		buf__clear(&why);
		err = top_columns__explain_absent(r, def->name, &why);
		if (!err)
			err = chooser__add(
				into,
				&(struct chooser_item){
					.name = def->name,
					.help = def->help ? def->help : def->formula,
					.why = why.len ? why.data : NULL,
					.is_chosen = columns__find(&r->columns, def->name) >= 0,
				});
	}
	buf__free(&why);
	return err;
}

/* Events of the user's keep their columns whatever is chosen: see top_columns__choose(). */
static bool stays(const struct top_run *r, const struct column *c)
{
	return c->is_event && (r->events_asked || top_feed__events_asked(r->feed));
}

/* What is shown and has no definition: formulas, and events, also those of a set. */
static int add_others(struct top_run *r, struct chooser *into)
{
	struct buf word = {};
	int err = 0;

	for (size_t i = 0; i < r->columns.nr && !err; i++) {
		const struct column *c = &r->columns.items[i];

		if (column_defs__column(r->defs, c->name) || stays(r, c))
			continue;
		buf__clear(&word);
		err = column__word(c, &word);
		if (!err)
			err = chooser__add(into, &(struct chooser_item){ .name = word.data,
									 .why = c->why,
									 .is_chosen = true });
	}
	buf__free(&word);
	return err;
}

static int add_sets(struct top_run *r, struct chooser *into)
{
	const struct column_set *set;
	struct buf why = {};
	int err = 0;

	for (size_t i = 0; !err && (set = column_defs__set_at(r->defs, i)); i++) {
		buf__clear(&why);
		err = top_columns__explain_absent(r, set->name, &why);
		if (!err)
			err = chooser__add(into, &(struct chooser_item){
							 .name = set->name,
							 .help = set->help,
							 .why = why.len ? why.data : NULL,
							 .is_exclusive = true,
						 });
	}
	buf__free(&why);
	return err;
}

int top_change__list(struct top_run *r, struct chooser *into)
{
	int err = add_sets(r, into);

	if (!err)
		err = add_columns(r, into);
	return err ? err : add_others(r, into);
}
