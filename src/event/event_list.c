// SPDX-License-Identifier: BSD-2-Clause
/* A list of events: what is in it, whatever their grammar; what is wrong with it, and where. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "event/event_parse.h"

void event__at(struct event_parser *p, const char *s, size_t len)
{
	p->bad = s;
	p->bad_len = len;
}

int event__refuse(struct event_parser *p, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err = why__vrefuse(p->why, err, fmt, ap);
	va_end(ap);
	return err;
}

int event__add(struct event_parser *p, const char *name, size_t len)
{
	struct perf_events *l = p->list;
	int err = array__grow(&l->items, &l->cap, l->nr + 1);

	if (err)
		return err;
	l->items[l->nr] = (struct perf_event_spec){
		.name = strndup(name, len),
		.attr.size = sizeof(struct perf_event_attr),
		.scale = 1,
		.group = p->group,
		.part_of = l->nr,
	};
	if (!l->items[l->nr].name)
		return -ENOMEM;
	l->nr++;
	return 0;
}

struct perf_event_spec *event__last(const struct event_parser *p)
{
	return &p->list->items[p->list->nr - 1];
}

static int copy(char **out, const char *s)
{
	*out = s ? strdup(s) : NULL;
	return s && !*out ? -ENOMEM : 0;
}

int event__set_site(struct event_parser *p, const struct perf_site *site)
{
	struct perf_site *own = &event__last(p)->site;
	int err;

	*own = *site;
	own->home = own->name = own->vendor = own->args = NULL;
	err = copy(&own->home, site->home);
	if (!err)
		err = copy(&own->name, site->name);
	if (!err)
		err = copy(&own->vendor, site->vendor);
	return err ? err : copy(&own->args, site->args);
}

int perf_events__set_filter(struct perf_events *l, const char *filter, struct buf *why)
{
	struct event_parser p = { .list = l, .why = why };
	bool any = false;

	for (size_t i = 0; i < l->nr; i++) {
		if (l->items[i].attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		free(l->items[i].filter);
		l->items[i].filter = strdup(filter);
		if (!l->items[i].filter)
			return -ENOMEM;
		any = true;
	}
	return any ? 0 : event__refuse(&p, -EINVAL, "--filter: only tracepoints have one");
}

static void free_spec(struct perf_event_spec *ev)
{
	event__remove_fallback(ev->fallback);
	free(ev->site.home);
	free(ev->site.name);
	free(ev->site.vendor);
	free(ev->site.args);
	free(ev->name);
	free(ev->text);
	free(ev->filter);
	free(ev->cpus);
}

void perf_events__truncate(struct perf_events *l, size_t nr)
{
	while (l->nr > nr)
		free_spec(&l->items[--l->nr]);
}

void perf_events__free(struct perf_events *l)
{
	perf_events__truncate(l, 0);
	free(l->items);
	*l = (struct perf_events){};
}
