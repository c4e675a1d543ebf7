// SPDX-License-Identifier: BSD-2-Clause
/* Explains the events of a list one by one: one that is wrong does not keep out the others. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog_fill.h"
#include "catalog/catalog_try.h"
#include "catalog/explain.h"
#include "lookup/resolve.h"

/* Without an attr, as the event cannot be made: by this kernel, or for this user. */
static int add_refused(struct explanations *l, const char *name, int failed, const struct buf *why)
{
	const char *reason = why->len ? why->data : strerror(-failed);
	struct buf origin = {}, text = {};
	struct explained *x;
	int err = explanations__add(l, &x);

	if (!err)
		err = explain__name(name, &origin, &text);
	if (!err)
		err = explanations__set(l, &x->name, name);
	if (!err)
		err = explanations__set(l, &x->origin, origin.data);
	if (!err && text.len)
		err = explanations__set(l, &x->text, text.data);
	if (!err)
		err = explanations__set(l, &x->process.why, reason);
	buf__free(&origin);
	buf__free(&text);
	if (err)
		return err;
	/* tracefs that is not mounted says nothing of what would be in it. */
	x->process.state = failed == -ENOENT ? CATALOG_UNKNOWN : catalog_state_of(failed);
	x->cpu = x->process;
	return 0;
}

/* One event, or one group. @nr_groups: how many groups came before it. */
static int explain_first(struct explanations *l, const char *name, int *nr_groups,
			 const struct perf_event_env *env, struct buf *why)
{
	struct perf_events events = { .nr_groups = *nr_groups };
	struct buf own = {};
	int err = perf_events__parse(&events, env, name, &own);

	if (!err) {
		*nr_groups = events.nr_groups;
		err = explain__events(l, &events, &own);
	} else if (err != -EINVAL && err != -ENOMEM) {
		err = add_refused(l, name, err, &own);
		buf__clear(&own);
	}
	if (own.len && buf__printf(why, "%s%s", why->len ? "; " : "", own.data))
		err = -ENOMEM;
	perf_events__free(&events);
	buf__free(&own);
	return err;
}

int explain__list(struct explanations *l, const char *list, struct lookup_reader *reader,
		  struct buf *why)
{
	const struct perf_event_env env = resolve__by(reader);
	int nr_groups = 0, first_err = 0, err = 0;

	for (;; list++) {
		size_t len;
		char *name;

		list += strspn(list, " \t\n");
		len = perf_events__first(list);
		/* Without a ',' behind it, such as in an open group, the rest is one event. */
		if (list[len] != ',')
			len = strlen(list);
		name = strndup(list, len);
		err = name ? explain_first(l, name, &nr_groups, &env, why) : -ENOMEM;
		free(name);
		if (!first_err || err == -ENOMEM)
			first_err = err;
		list += len;
		if (err == -ENOMEM || !*list)
			return first_err;
	}
}
