// SPDX-License-Identifier: BSD-2-Clause
/* What an open object has: events, places, labels, descriptors, ids. */
#include "pmutrace.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "api/object.h"
#include "perf/open.h"

const char *pmutrace_version(void)
{
	return PMUTRACE_VERSION;
}

void pmutrace_close(struct pmutrace_events *e)
{
	if (!e)
		return;
	counters__close(e->counters);
	presence__close(e->presence);
	if (e->cgroup_fd >= 0)
		close(e->cgroup_fd);
	for (size_t i = 0; i < e->nr_columns; i++)
		free(e->columns[i].label);
	free(e->columns);
	free(e->places);
	free(e->now);
	free(e->base);
	free(e->ids);
	free(e->now_present_ns);
	free(e->base_present_ns);
	idmap__free(&e->by_id);
	perf_events__free(&e->list);
	free(e);
}

size_t pmutrace_nr_events(const struct pmutrace_events *e)
{
	return e->nr_columns;
}

size_t pmutrace_nr_places(const struct pmutrace_events *e)
{
	return e->nr_places;
}

const char *pmutrace_label(const struct pmutrace_events *e, size_t event)
{
	return event < e->nr_columns ? e->columns[event].label : NULL;
}

const char *pmutrace_unit(const struct pmutrace_events *e, size_t event, double *scale)
{
	const struct perf_event_spec *spec;

	if (event >= e->nr_columns)
		return NULL;
	spec = &e->list.items[e->columns[event].first];
	if (scale)
		*scale = spec->scale;
	return spec->unit;
}

const struct perf_event_attr *pmutrace_attr(const struct pmutrace_events *e, size_t event)
{
	return event < e->nr_columns ? counters__attr(e->counters, e->columns[event].first) : NULL;
}

int pmutrace_place(const struct pmutrace_events *e, size_t place, struct pmutrace_place *out)
{
	if (place >= e->nr_places)
		return -ERANGE;
	*out = (struct pmutrace_place){ .pid = e->places[place].pid, .cpu = e->places[place].cpu };
	return 0;
}

int pmutrace_open_error(const struct pmutrace_events *e, size_t event, struct pmutrace_error *why)
{
	const struct perf_event_spec *spec;
	struct buf text = {};
	const struct api_event *c;
	int err = 0, full;

	if (event >= e->nr_columns)
		return error__say(why, -ERANGE, "there is no event %zu", event);
	c = &e->columns[event];
	for (size_t i = c->first; i < c->first + c->nr; i++) {
		int one = counters__error(e->counters, i);

		if (!one)
			return error__none(why);
		if (!err)
			err = one;
	}
	spec = &e->list.items[c->first];
	if (err == -ENOSPC && counters__group_fit(e->counters, c->first))
		return error__say(why, err,
				  "the group of '%s' needs more counters than the PMU has, which "
				  "are enough for the first %zu; make it smaller",
				  spec->name, counters__group_fit(e->counters, c->first));
	if (err == -EXDEV)
		return error__say(why, err,
				  "'%s' does not go with the others of its group: it is of another "
				  "PMU, or needs the same counter; leave it out of the group",
				  spec->name);
	if (err == -ENODATA && spec->for_cpus)
		return error__say(why, err, "'%s' counts for CPUs, not for tasks", spec->name);
	full = perf_open__explain(&text, err, &spec->attr, spec->name, READER_PROGRAM);
	return error__set(why, full ? full : err, &text);
}

int pmutrace_fd(const struct pmutrace_events *e, size_t event, size_t place)
{
	const struct api_event *c;
	int fd = -ENODATA;

	if (event >= e->nr_columns || place >= e->nr_places)
		return -ERANGE;
	c = &e->columns[event];
	for (size_t i = c->first; i < c->first + c->nr && fd < 0; i++)
		fd = counters__fd(e->counters, i, place);
	return fd;
}

int pmutrace_id(const struct pmutrace_events *e, size_t event, size_t place, uint64_t *id)
{
	const struct api_event *c;

	*id = 0;
	if (event >= e->nr_columns || place >= e->nr_places)
		return -ERANGE;
	c = &e->columns[event];
	for (size_t i = c->first; i < c->first + c->nr && !*id; i++)
		*id = e->ids[place * e->list.nr + i];
	return *id ? 0 : -ENODATA;
}

int pmutrace_find(const struct pmutrace_events *e, uint64_t id)
{
	uint32_t event;

	return idmap__get(&e->by_id, id, &event) ? (int)event : -ENOENT;
}

int column__each(const struct pmutrace_events *e, size_t event, int (*fn)(int fd, void *arg),
		 void *arg)
{
	const struct api_event *c;
	int first = 0, err, fd;
	bool any = false;

	if (event >= e->nr_columns)
		return -ERANGE;
	c = &e->columns[event];
	for (size_t place = 0; place < e->nr_places; place++) {
		for (size_t i = c->first; i < c->first + c->nr; i++) {
			fd = counters__fd(e->counters, i, place);
			if (fd < 0)
				continue;
			any = true;
			err = fn(fd, arg);
			if (err && !first)
				first = err;
		}
	}
	return any ? first : -ENODATA;
}
