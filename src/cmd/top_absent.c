// SPDX-License-Identifier: BSD-2-Clause
/* top: says why a name has no value, and tries whether its events open. */
#include "cmd/top_absent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns/column_defs.h"
#include "lookup/resolve.h"
#include "machine/cpus.h"
#include "perf/open.h"

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

int top_absent__suggest(const struct top_run *r, const char *name, struct buf *why)
{
	const struct live_about *about = r->live ? live__interval(r->live) : NULL;
	int err = buf__printf(why, "; nor is there a column '%s'", name);

	return err ? err
		   : column_defs__suggest(r->defs, name, true, about ? about->events : NULL,
					  about ? about->nr_events : 0, why);
}

int top_absent__name(void *run, const char *name, struct buf *why)
{
	const struct top_run *r = run;
	struct perf_events events = {};
	struct buf said = {};
	int err = perf_events__parse(&events, &resolve_env, name, &said);

	if (!err && events.nr) {
		err = say_uncounted(r, &events.items[0], why);
	} else if (err != -ENOMEM) {
		err = buf__puts(why, said.len ? said.data : strerror(-err));
		if (!err)
			err = top_absent__suggest(r, name, why);
	}
	perf_events__free(&events);
	buf__free(&said);
	return err;
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

int top_absent__choice(struct top_run *r, const char *choice, struct buf *why)
{
	struct perf_events events = {};
	int err;

	if (top_run__counts_stay(r))
		return look_at_counted(r, choice, why);
	err = top_run__events_of(r, choice, &events);
	if (!err)
		err = try_events(r, choice, &events, why);
	else if (err != -ENOMEM)
		err = buf__puts(why, r->why.len ? r->why.data : strerror(-err));
	buf__clear(&r->why);
	perf_events__free(&events);
	return err;
}
