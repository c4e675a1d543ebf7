// SPDX-License-Identifier: BSD-2-Clause
/* Tracepoints by name: "CATEGORY:NAME", or several by globs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/event_parse.h"
#include "perf/tracefs.h"
#include "perf/tracepoint.h"

static int add(struct event_parser *p, const char *tracefs, const char *category, const char *name)
{
	char text[512];
	uint32_t id;
	int err = tracepoint__id(tracefs, category, name, &id, p->why);

	if (err)
		return err;
	snprintf(text, sizeof(text), "%s:%s", category, name);
	err = event__add(p, text, strlen(text));
	if (err)
		return err;
	event__last(p)->attr.type = PERF_TYPE_TRACEPOINT;
	event__last(p)->attr.config = id;
	return 0;
}

/* Each that matches is an event of its own. */
static int add_all(struct event_parser *p, const char *tracefs, const char *pattern)
{
	struct tracepoint_name *names;
	size_t nr, i;
	int err = tracepoints__list(tracefs, pattern, &names, &nr);

	if (err)
		return event__refuse(p, err, "'%s': %s", pattern, strerror(-err));
	for (i = 0; i < nr && !err; i++) {
		err = add(p, tracefs, names[i].category, names[i].name);
		/* Some of the kernel's own are not for perf. */
		if (err == -ENOENT) {
			buf__clear(p->why);
			err = 0;
		}
	}
	tracepoint_names__free(names, nr);
	if (!err && !nr)
		err = event__refuse(p, -EINVAL, "no tracepoint matches '%s'", pattern);
	return err;
}

int event__tracepoint(struct event_parser *p, const char *category, size_t category_len,
		      const char *name, size_t name_len)
{
	char *c = strndup(category, category_len), *n = strndup(name, name_len);
	struct buf path = {}, pattern = {};
	int err = c && n ? 0 : -ENOMEM;

	if (!err)
		err = tracefs__find(p->env->root, &path, p->why);
	if (!err && (strpbrk(c, "*?") || strpbrk(n, "*?"))) {
		err = buf__printf(&pattern, "%s:%s", c, n);
		if (!err)
			err = add_all(p, path.data, pattern.data);
	} else if (!err) {
		err = event__unknown_is_invalid(add(p, path.data, c, n));
	}
	buf__free(&path);
	buf__free(&pattern);
	free(c);
	free(n);
	return err;
}
