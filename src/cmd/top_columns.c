// SPDX-License-Identifier: BSD-2-Clause
/* top: -e, --columns, --sort and the user's file; why a name or a column has no value. */
#include "cmd/top_columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/regular.h"
#include "cmd/events.h"
#include "columns/column_defs.h"
#include "lookup/resolve.h"
#include "machine/cpus.h"
#include "perf/open.h"
#include "plan/returns.h"

enum { CONFIG_MAX = 64 * 1024 }; /* bytes */

/* The path of the user's file of columns; "": there is none to look for. */
static int find_config(const struct top_run *r, struct buf *path)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (r->opts->config)
		return buf__puts(path, r->opts->config);
	/* A relative one is to be ignored, says the XDG Base Directory Specification. */
	if (config && config[0] == '/')
		return buf__printf(path, "%s/pmutrace/config", config);
	return home && home[0] == '/' ? buf__printf(path, "%s/.config/pmutrace/config", home)
				      : buf__puts(path, "");
}

static int read_config(struct top_run *r)
{
	struct buf path = {}, text = {};
	int err = find_config(r, &path), read;

	if (err || !path.len)
		goto out_free;
	/* "--config /dev/null" means: not even my own. */
	read = strcmp(path.data, "/dev/null") ? regular__read(&text, path.data, CONFIG_MAX) : 0;
	if (!read)
		err = column_defs__read(r->defs, path.data, text.data ? text.data : "", text.len,
					&r->why);
	else if (read == -EACCES &&
		 !r->opts->config) /* HOME may still be another user's: sudo, su */
		log__notice("%s cannot be read: only the columns that are built in are known",
			    path.data);
	else if (read != -ENOENT || r->opts->config)
		err = buf__printf(&r->why, "cannot read %s: %s", path.data, regular__strerror(read))
			      ? -ENOMEM
		      : read == -EMFILE || read == -ENFILE ? read
							   : -EINVAL;
out_free:
	buf__free(&path);
	buf__free(&text);
	return err;
}

/* Opens it for a moment as top does, on the first CPU that is online; !*opens: @why. */
static int try_event(const struct perf_event_spec *event, bool *opens, struct buf *why)
{
	uint32_t *cpus = NULL;
	size_t nr = 0;
	int err = cpus__online("", &cpus, &nr), fd;

	*opens = true;
	if (err || !nr)
		goto out_free;
	fd = perf_open(&event->attr, -1, cpus[0], -1);
	*opens = fd >= 0;
	if (fd >= 0)
		close(fd);
	else
		err = perf_open__explain(why, fd, &event->attr, event->name, READER_PERSON);
out_free:
	free(cpus);
	return err;
}

/* Why an event that exists has no value: it is not counted, and maybe cannot be. */
static int say_uncounted(const struct top_run *r, const struct perf_event_spec *event,
			 struct buf *why)
{
	struct buf refused = {};
	bool opens;
	int err;

	if (top_feed__is_replay(r->feed))
		return buf__printf(why, "the event '%s' was not recorded", event->name);
	err = buf__printf(why, "the event '%s' is not among those that are counted", event->name);
	if (!err)
		err = try_event(event, &opens, &refused);
	if (!err && !opens)
		err = buf__printf(why, ", and could not be: %s", refused.data);
	buf__free(&refused);
	return err;
}

/* Appends what may have been meant by a word that is no event, column or set. 0 or -ENOMEM. */
static int suggest_column(const struct top_run *r, const char *name, struct buf *why)
{
	const struct live_about *about = r->live ? live__interval(r->live) : NULL;
	int err = buf__printf(why, "; nor is there a column '%s'", name);

	return err ? err
		   : column_defs__suggest(r->defs, name, true, about ? about->events : NULL,
					  about ? about->nr_events : 0, why);
}

/* A column_missing_fn: why a name in a formula has no value in this run. */
static int explain_missing(void *run, const char *name, struct buf *why)
{
	const struct top_run *r = run;
	const struct perf_event_env env = resolve__by(r->lookups);
	struct perf_events events = {};
	struct buf said = {};
	int err = perf_events__parse(&events, &env, name, &said);

	if (!err && events.nr) {
		err = say_uncounted(r, &events.items[0], why);
	} else if (err != -ENOMEM) {
		err = buf__puts(why, said.len ? said.data : strerror(-err));
		if (!err)
			err = suggest_column(r, name, why);
	}
	perf_events__free(&events);
	buf__free(&said);
	return err;
}

static int look(void *arg, const char *name, bool *turns, struct buf *why)
{
	const struct top_run *r = arg;
	const struct perf_event_env env = resolve__by(r->lookups);
	struct perf_events event = {};
	int err = perf_events__parse(&event, &env, name, why);

	if (err == -EINVAL && suggest_column(arg, name, why))
		err = -ENOMEM;
	*turns = false;
	for (size_t i = 0; i < event.nr && !err; i++)
		*turns |= perf_event__is_hardware(&event.items[i].attr);
	perf_events__free(&event);
	return err;
}

/* Tried on the first CPU that is online. */
static int look_for_pmu(struct top_run *r)
{
	struct perf_events cycles = {};
	struct buf why = {};
	uint32_t *cpus = NULL;
	size_t nr = 0;
	int err = cpus__online("", &cpus, &nr);

	if (!err)
		err = perf_events__parse(&cycles, NULL, "cycles", &why);
	if (!err && nr && !events__is_here(&cycles.items[0].attr, cpus[0]))
		top_feed__set_no_pmu(r->feed);
	perf_events__free(&cycles);
	buf__free(&why);
	free(cpus);
	return err;
}

static const char *choice_of(const struct top_run *r)
{
	return r->opts->columns ? r->opts->columns : "default";
}

static int parse_events(struct top_run *r, const char *text, const char *choice,
			struct perf_events *out)
{
	const struct perf_event_env env = resolve__by(r->lookups);
	int err = perf_events__parse(out, &env, text, &r->why);
	struct buf why = {};

	if (!err)
		return returns__check(out, &env, &r->why);
	if (err != -EINVAL || !choice || r->top)
		return err;
	/* The user named a set, not its events: that the machine lacks one is no wrong usage. */
	err = buf__printf(&why, "--columns %s: %s", choice_of(r), r->why.data ? r->why.data : "");
	buf__free(&r->why);
	r->why = why;
	return err ? err : -ENOENT;
}

int top_columns__events_of(struct top_run *r, const char *choice, struct perf_events *out)
{
	struct buf text = {};
	int err = column_defs__events(r->defs, choice, look, r, &text, &r->why);

	if (!err && text.len)
		err = parse_events(r, text.data, choice, out);
	buf__free(&text);
	return err;
}

bool top_columns__counts_stay(const struct top_run *r)
{
	return !r->top || top_feed__is_record(r->feed) || r->counted.nr || r->events_asked;
}

/* The events that the columns need, and the column that rows are sorted by. */
static int plan_by_columns(struct top_run *r)
{
	struct buf choice = {};
	int err = buf__puts(&choice, choice_of(r));

	/* Rows cannot be sorted by a set, which is told later. */
	if (!err && r->sort_by && !column_defs__set(r->defs, r->sort_by))
		err = buf__printf(&choice, ",%s", r->sort_by);
	if (!err)
		err = top_columns__events_of(r, choice.data, &r->events);
	buf__free(&choice);
	return err;
}

static int plan_events(struct top_run *r)
{
	const struct opt_strs *given = &r->counted;
	int err = 0;

	for (size_t i = 0; i < given->nr && !err; i++)
		err = parse_events(r, given->items[i], NULL, &r->events);
	return err || given->nr ? err : plan_by_columns(r);
}

static int sort_by(struct top_run *r, struct columns *c, const struct live_event *events, size_t nr,
		   size_t *sort)
{
	static const char *const usual[] = { "cpu", "time" };

	*sort = 0;
	if (r->sort_by)
		return columns__add(c, r->defs, r->sort_by, events, nr, sort, &r->why);
	for (size_t i = ARRAY_SIZE(usual); i--;)
		if (columns__find(c, usual[i]) >= 0)
			*sort = columns__find(c, usual[i]);
	return 0;
}

static int choose(struct top_run *r, const char *choice, const struct live_event *events, size_t nr)
{
	struct columns columns = {};
	size_t sort = 0;
	int err = columns__choose(&columns, r->defs, choice, events, nr, false, &r->why);

	if (r->events_asked || top_feed__events_asked(r->feed))
		for (size_t i = 0; i < nr && !err; i++)
			err = columns__add_event(&columns, events, i);
	if (!err)
		err = sort_by(r, &columns, events, nr, &sort);
	if (err) {
		columns__free(&columns);
		return err;
	}
	columns__free(&r->columns);
	r->columns = columns;
	r->sort = sort;
	return 0;
}

int top_columns__choose(struct top_run *r, const char *choice)
{
	const struct live_about *about = live__interval(r->live);

	return choose(r, choice ? choice : choice_of(r), about->events, about->nr_events);
}

/* Tells wrong names before anything is opened; what is counted together is not known yet. */
static int check_names(struct top_run *r)
{
	struct live_event *events = calloc(r->events.nr + 1, sizeof(*events));
	int err;

	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < r->events.nr; i++)
		events[i] = (struct live_event){ .name = r->events.items[i].name, .group = -1 };
	err = choose(r, choice_of(r), events, r->events.nr);
	free(events);
	return err;
}

int top_columns__plan(struct top_run *r)
{
	bool is_replay = top_feed__is_replay(r->feed);
	int err;

	r->defs = column_defs__new();
	if (!r->defs)
		return -ENOMEM;
	column_defs__on_missing(r->defs, explain_missing, r);
	err = read_config(r);
	if (!err && !is_replay)
		err = look_for_pmu(r);
	if (!err && top_feed__has_no_pmu(r->feed))
		column_defs__set_no_pmu(r->defs);
	if (!err && !is_replay)
		err = plan_events(r);
	return err || is_replay ? err : check_names(r);
}

/* Without "in 'FORMULA', column 7: " (columns/formula.h), for it is the column's own formula. */
static const char *without_place(const char *text)
{
	static const char mark[] = "', column ";
	const char *at = strncmp(text, "in '", 4) ? NULL : strstr(text, mark);

	if (!at)
		return text;
	at += strlen(mark);
	at += strspn(at, "0123456789");
	return strncmp(at, ": ", 2) ? text : at + 2;
}

/* Why a choice has no value in what is counted, or was recorded. */
static int look_at_counted(const struct top_run *r, const char *choice, struct buf *why)
{
	const struct live_about *about = live__interval(r->live);
	struct columns columns = {};
	struct buf said = {};
	int err = columns__choose(&columns, r->defs, choice, about->events, about->nr_events, false,
				  &said);
	bool has_value = false;

	for (size_t i = 0; i < columns.nr && !err; i++)
		has_value |= !columns.items[i].why;
	if (!err && columns.nr && !has_value)
		err = buf__puts(why, columns.items[0].why);
	if (err == -EINVAL)
		err = buf__puts(why, without_place(said.data));
	buf__free(&said);
	columns__free(&columns);
	return err;
}

/* Why the events that would be counted for a choice do not open. */
static int try_events(const struct top_run *r, const char *choice, const struct perf_events *events,
		      struct buf *why)
{
	bool is_set = column_defs__set(r->defs, choice), opens;
	struct buf first = {}, more = {};
	size_t nr_absent = 0;
	int err = 0;

	for (size_t i = 0; i < events->nr && !err; i++) {
		err = try_event(&events->items[i], &opens, nr_absent ? &more : &first);
		nr_absent += !opens;
	}
	if (!err && nr_absent && (!is_set || nr_absent == events->nr))
		err = buf__puts(why, first.data);
	buf__free(&first);
	buf__free(&more);
	return err;
}

int top_columns__explain_absent(struct top_run *r, const char *choice, struct buf *why)
{
	struct perf_events events = {};
	int err;

	if (top_columns__counts_stay(r))
		return look_at_counted(r, choice, why);
	err = top_columns__events_of(r, choice, &events);
	if (!err)
		err = try_events(r, choice, &events, why);
	else if (err != -ENOMEM)
		err = buf__puts(why, r->why.len ? r->why.data : strerror(-err));
	buf__clear(&r->why);
	perf_events__free(&events);
	return err;
}
