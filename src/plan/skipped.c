// SPDX-License-Identifier: BSD-2-Clause
/* A list of functions that cannot be probed, with reasons, and the notice about them. */
#include "plan/skipped.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"

int skipped__add(struct skipped *s, const char *name, const char *why)
{
	int err = array__grow(&s->items, &s->cap, s->nr + 1);
	struct skipped_function *f;

	if (err)
		return err;
	f = &s->items[s->nr++];
	*f = (struct skipped_function){ .name = strdup(name), .why = strdup(why) };
	return f->name && f->why ? 0 : -ENOMEM;
}

int skipped__of_pattern(const struct perf_function *f, void *skipped)
{
	return skipped__add(skipped, f->name, f->why_not ? f->why_not : "cannot be probed");
}

void skipped__tell(const struct skipped *s)
{
	enum { TOLD = 5 };
	struct buf names = {};

	for (size_t i = 0; i < s->nr; i++) {
		log__debug("not probed: %s: %s", s->items[i].name, s->items[i].why);
		if (i < TOLD && buf__printf(&names, "%s%s (%s)", i ? ", " : "", s->items[i].name,
					    s->items[i].why))
			break;
	}
	if (s->nr && names.data)
		log__notice("%zu function%s cannot be probed: %s%s", s->nr, s->nr == 1 ? "" : "s",
			    names.data, s->nr > TOLD ? ", .. (-v: all)" : "");
	buf__free(&names);
}

void skipped__free(struct skipped *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		free(s->items[i].name);
		free(s->items[i].why);
	}
	free(s->items);
	*s = (struct skipped){};
}
