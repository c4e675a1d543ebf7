// SPDX-License-Identifier: BSD-2-Clause
/* Where an event's name came from: the order is that in which event/event.c looks it up. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "catalog/explain.h"
#include "event/pmu.h"
#include "event/pmu_events.h"
#include "event/tracefs.h"
#include "event/vendor.h"

#define DEVICES "/sys/bus/event_source/devices"

static bool is_word(const char *known, const char *s, size_t len)
{
	return known && strlen(known) == len && !strncasecmp(known, s, len);
}

static const struct perf_event_name *find_generic(const struct perf_event_spec *ev)
{
	size_t len = strcspn(ev->name, ":");
	const struct perf_event_name *g;

	for (size_t i = 0; (g = perf_event__name(i)); i++)
		if (g->type == ev->attr.type && g->config == ev->attr.config &&
		    (is_word(g->name, ev->name, len) || is_word(g->alias, ev->name, len)))
			return g;
	return NULL;
}

static int tracepoint_origin(const struct perf_event_spec *ev, struct buf *origin)
{
	const char *colon = strchr(ev->name, ':'), *end;
	struct buf tracefs = {}, why = {};
	int err;

	if (ev->fallback)
		return buf__puts(origin, "a probe, made in tracefs for this run");
	if (!colon || tracefs__find("", &tracefs, &why)) {
		err = buf__puts(origin, "a tracepoint of the kernel");
	} else {
		end = colon + 1 + strcspn(colon + 1, ":");
		err = buf__printf(origin, "a tracepoint of the kernel: %s/events/%.*s/%.*s/id",
				  tracefs.data, (int)(colon - ev->name), ev->name,
				  (int)(end - colon - 1), colon + 1);
	}
	buf__free(&tracefs);
	buf__free(&why);
	return err;
}

static int probe_origin(const struct perf_event_spec *ev, struct buf *origin)
{
	unsigned long long where = ev->attr.config2;

	if (ev->text[0] == '/')
		return buf__printf(origin, "a place in a file: %s+0x%llx", ev->text, where);
	if (where)
		return buf__printf(origin, "a place in the kernel: %s+0x%llx", ev->text, where);
	return buf__printf(origin, "a function of the kernel: %s", ev->text);
}

/* An event that a PMU names in sysfs. @name: without the PMU, of @len bytes. */
static int named_origin(const char *pmu, const char *name, size_t len, struct buf *origin,
			bool *found)
{
	struct pmu_event *events;
	size_t nr, i;
	int err = pmu__events("", pmu, &events, &nr);

	if (err)
		return err == -ENOMEM ? err : 0;
	for (i = 0; i < nr && !*found; i++) {
		if (strlen(events[i].name) != len || strncmp(events[i].name, name, len))
			continue;
		*found = true;
		err = buf__printf(origin, "an event of the PMU %s: " DEVICES "/%s/events/%s: %s",
				  pmu, pmu, events[i].name, events[i].terms);
	}
	pmu_events__free(events, nr);
	return err;
}

/* "PMU/TERMS/", or the name of an event of the CPU's PMU. Nothing is appended if it is neither. */
static int pmu_origin(const struct perf_event_spec *ev, struct buf *origin)
{
	const char *slash = strchr(ev->name, '/'), *name = slash ? slash + 1 : ev->name;
	size_t len = strcspn(name, slash ? "/" : ":");
	bool found = false;
	struct pmu *pmus;
	size_t nr, i;
	int err = pmus__read("", &pmus, &nr);

	if (err)
		return err == -ENOMEM ? err : 0;
	for (i = 0; i < nr && !err && !found; i++) {
		if (pmus[i].type != ev->attr.type)
			continue;
		err = named_origin(pmus[i].name, name, len, origin, &found);
		if (!err && !found && slash)
			err = buf__printf(origin, "terms of the PMU %s: " DEVICES "/%s/format",
					  pmus[i].name, pmus[i].name);
	}
	pmus__free(pmus, nr);
	return err;
}

struct vendor_search {
	const char *name; /* without the PMU */
	struct buf *text;
};

static int take_vendor_text(void *arg, const struct vendor_event *v)
{
	const struct vendor_search *s = arg;
	size_t len = strcspn(s->name, ":");
	const char *umask = s->name[len] ? s->name + len + 1 : NULL;
	int err;

	if (!is_word(v->name, s->name, len))
		return 0;
	if (v->umask && umask && !is_word(v->umask, umask, strcspn(umask, ":")))
		return 0;
	err = buf__puts(s->text, v->desc);
	if (!err && v->umask && umask)
		err = buf__printf(s->text, ": %s", v->umask_desc);
	return err ? err : 1;
}

static int vendor_origin(const struct perf_event_spec *ev, struct buf *origin, struct buf *text)
{
	const char *sep = strstr(ev->name, "::");
	struct vendor_search search = { sep ? sep + 2 : ev->name, text };
	int err = vendor__list(take_vendor_text, &search);

	if (err < 0 && err != -EOPNOTSUPP)
		return err;
	return buf__puts(origin, "a name in the CPU's manual, through libpfm4");
}

static bool is_raw(const struct perf_event_spec *ev)
{
	size_t len = strcspn(ev->name, ":");

	return ev->attr.type == PERF_TYPE_RAW && ev->name[0] == 'r' && len > 1 &&
	       strspn(ev->name + 1, "0123456789abcdefABCDEF") >= len - 1;
}

static const struct {
	const char *prefix, *origin, *text;
} names[] = {
	{ "kprobe:", "a function of the kernel", "calls" },
	{ "k:", "a function of the kernel", "calls" },
	{ "kretprobe:", "a function of the kernel", "returns" },
	{ "kr:", "a function of the kernel", "returns" },
	{ "uprobe:", "a place in a file", "calls" },
	{ "u:", "a place in a file", "calls" },
	{ "uretprobe:", "a place in a file", "returns" },
	{ "ur:", "a place in a file", "returns" },
	{ "usdt:", "a static probe of a file", "hits" },
	{ "U:", "a static probe of a file", "hits" },
	{ "mem:", "a breakpoint", "accesses" },
	{ "tracepoint:", "a tracepoint of the kernel", "hits" },
	{ "t:", "a tracepoint of the kernel", "hits" },
	{ "{", "a group: all of its events, or none", NULL },
	{ "", "a tracepoint of the kernel", "hits" }, /* all others that need more than a name */
};

int explain__name(const char *name, struct buf *origin, struct buf *text)
{
	size_t i = 0;
	int err;

	while (strncmp(name, names[i].prefix, strlen(names[i].prefix)) != 0)
		i++;
	err = buf__puts(origin, names[i].origin);
	if (!err && names[i].text && names[i].prefix[0])
		err = buf__printf(origin, ": %s", name + strlen(names[i].prefix));
	return err || !names[i].text ? err : buf__puts(text, names[i].text);
}

int explain__origin(const struct perf_event_spec *ev, struct buf *origin, struct buf *text)
{
	const struct perf_event_name *g = find_generic(ev);
	size_t before = origin->len;
	int err;

	if (ev->text)
		return probe_origin(ev, origin);
	if (ev->attr.type == PERF_TYPE_BREAKPOINT && strchr(ev->name, ':'))
		return buf__puts(origin, "a breakpoint");
	if (g) {
		err = buf__puts(text, g->text);
		return err ? err
			   : buf__printf(origin, "a generic %s event of perf_event_open(2)",
					 g->type == PERF_TYPE_HARDWARE ? "hardware" : "software");
	}
	if (ev->attr.type == PERF_TYPE_HW_CACHE && !strstr(ev->name, "::"))
		return buf__puts(origin, "a generic cache event of perf_event_open(2)");
	if (is_raw(ev))
		return buf__puts(origin, "a raw code of the CPU");
	err = pmu_origin(ev, origin);
	if (err || origin->len > before)
		return err;
	if (ev->attr.type == PERF_TYPE_TRACEPOINT)
		return tracepoint_origin(ev, origin);
	return vendor_origin(ev, origin, text);
}
