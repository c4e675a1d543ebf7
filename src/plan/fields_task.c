// SPDX-License-Identifier: BSD-2-Clause
/* Fields of the task at hand, and names that may mean one of a tracepoint's own as well. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/fields_parts.h"

bool fields__task(const char *name, struct field_place *out)
{
	static const struct {
		const char *name;
		enum fetch_source source;
	} all[] = {
		{ "comm", FETCH_COMM }, { "pid", FETCH_PID }, { "tid", FETCH_TID },
		{ "cpu", FETCH_CPU },	{ "uid", FETCH_UID },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (strcmp(all[i].name, name))
			continue;
		out->fetch.source = all[i].source;
		out->is_task = true;
		return true;
	}
	return false;
}

/* Whether it is a tracepoint whose record has that field. 1, 0 or -errno with @why. */
static int record_has(struct fields *f, const char *name, struct buf *why)
{
	const struct tracepoint_format *format;
	int err;

	if (f->ev->site.kind != SITE_TRACEPOINT)
		return 0;
	err = fields__format(f, &format, why);
	if (err)
		return err;
	for (size_t i = 0; i < format->nr; i++)
		if (!strcmp(format->fields[i].name, name))
			return 1;
	return 0;
}

/* Finds the first probe that has the field, *with, and the first that has not; NULL: none. */
static int divide(const struct fields_group *g, const char *name, const struct fields **with,
		  const struct fields **without, struct buf *why)
{
	*with = *without = NULL;
	for (size_t i = 0; i < g->nr && (!*with || !*without); i++) {
		int has = g->all[i] ? record_has(g->all[i], name, why) : -ENOENT;

		if (has < 0 && g->all[i])
			return has;
		if (has > 0 && !*with)
			*with = g->all[i];
		if (!has && !*without)
			*without = g->all[i];
	}
	return 0;
}

int fields__check_task(const struct fields_group *g, const char *name, struct buf *why)
{
	const struct fields *with, *without;
	int err = divide(g, name, &with, &without, why);

	if (err || !with || without)
		return err;
	return refuse(why,
		      "'%s' is of the task at hand, and a field of %s too: write TASK->%s for the "
		      "task's, REC->%s for the field",
		      name, with->ev->name, name, name);
}

int fields__check_both(const struct fields_group *g, const char *text, struct buf *why)
{
	const struct fields *with, *without;
	struct field_place place = {};
	char *name = strndup(text, strcspn(text, ":.-"));
	int err = name ? 0 : -ENOMEM;

	if (err || !fields__task(name, &place))
		goto out_free;
	err = divide(g, name, &with, &without, why);
	if (!err && with && without)
		err = refuse(why,
			     "'%s' is of the task at hand, and a field of %s, which %s has not: "
			     "write TASK->%s for the task's, or a field that both have",
			     name, with->ev->name, without->ev->name, name);
out_free:
	free(name);
	return err;
}
