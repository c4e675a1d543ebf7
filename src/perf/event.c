// SPDX-License-Identifier: BSD-2-Clause
/* The grammar of event lists: groups, modifiers, rates, and which kind of event a name is. */
#include "perf/event.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/parse.h"
#include "perf/event_parse.h"
#include "perf/vendor.h"

enum { MAX_SPEC_BYTES = 64 * 1024 };

static const char MODIFIERS[] = "ukhGHIpPDe";

int event__refuse(struct event_parser *p, int err, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int full;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	full = buf__puts(p->why, text);
	return full ? full : err;
}

int event__unknown_is_invalid(int err)
{
	return err == -ENOENT ? -EINVAL : err;
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

/* What modifiers say, before it is known how many events they are for. */
struct modifiers {
	bool u, k, h, guest, host, idle, most_precise, pinned, exclusive;
	unsigned precise;
};

static int parse_modifiers(struct event_parser *p, struct modifiers *m, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		switch (s[i]) {
		case 'u':
			m->u = true;
			break;
		case 'k':
			m->k = true;
			break;
		case 'h':
			m->h = true;
			break;
		case 'G':
			m->guest = true;
			break;
		case 'H':
			m->host = true;
			break;
		case 'I':
			m->idle = true;
			break;
		case 'p':
			m->precise++;
			break;
		case 'P':
			m->most_precise = true;
			break;
		case 'D':
			m->pinned = true;
			break;
		case 'e':
			m->exclusive = true;
			break;
		default:
			return event__refuse(p, -EINVAL,
					     "unknown modifier '%c' in ':%.*s'; known: u k h I G H "
					     "p pp ppp P D e",
					     s[i], (int)len, s);
		}
	}
	if (m->precise > 3)
		return event__refuse(p, -EINVAL, "':%.*s': at most three p", (int)len, s);
	return 0;
}

/*
 * As in perf: naming a privilege level excludes those not named; G and H work alike for guest and
 * host. Being pinned or alone on the PMU is a matter of a group's leader.
 */
static void apply_modifiers(struct perf_event_spec *ev, const struct modifiers *m, bool leader)
{
	struct perf_event_attr *a = &ev->attr;

	if (m->u || m->k || m->h) {
		a->exclude_user = !m->u;
		a->exclude_kernel = !m->k;
		a->exclude_hv = !m->h;
	}
	if (m->guest || m->host) {
		a->exclude_guest = !m->guest;
		a->exclude_host = !m->host;
	}
	if (m->idle)
		a->exclude_idle = 1;
	if (m->precise)
		a->precise_ip = m->precise;
	if (m->most_precise) {
		a->precise_ip = 3;
		ev->most_precise = true;
	}
	if (leader && m->pinned)
		a->pinned = 1;
	if (leader && m->exclusive)
		a->exclusive = 1;
}

static bool is_modifiers(const char *s, size_t len)
{
	return len && strspn(s, MODIFIERS) >= len;
}

static int unknown_event(struct event_parser *p, const char *s, size_t len)
{
	char name[128];
	const char *near;

	snprintf(name, sizeof(name), "%.*s", (int)len, s);
	name[strcspn(name, ":")] = '\0';
	near = event__nearest(name);
	return event__refuse(p, -EINVAL, "unknown event '%.*s'%s%s%s", (int)len, s,
			     near ? "; did you mean " : "", near ? near : "",
			     near ? "?" : "; 'pmutrace list' shows what there is");
}

/* An event of the vendor's table; -ENOENT without a sentence: it has none of that name. */
static int try_vendor(struct event_parser *p, const char *s, size_t len)
{
	char *name = strndup(s, len);
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct buf why = {};
	int err;

	if (!name)
		return -ENOMEM;
	err = vendor__encode(name, &attr, &why);
	if (!err)
		err = event__add(p, s, len);
	if (!err)
		event__last(p)->attr = attr;
	else if (err == -EINVAL && why.len)
		err = event__refuse(p, err, "%s", why.data);
	else if (err != -ENOMEM)
		err = -ENOENT;
	buf__free(&why);
	free(name);
	return err;
}

/* "NAME[:MODIFIERS]" or "CATEGORY:NAME[:MODIFIERS]". @used: up to the modifiers. */
static int parse_plain(struct event_parser *p, const char *s, size_t len, size_t *used)
{
	const char *colon = memchr(s, ':', len), *second;
	size_t base = colon ? (size_t)(colon - s) : len, rest;
	struct perf_event_spec generic = {};
	int err;

	*used = base;
	if (event__generic(&generic, s, base)) {
		err = event__add(p, s, base);
		if (!err) {
			struct perf_event_spec *ev = event__last(p);

			ev->attr.type = generic.attr.type;
			ev->attr.config = generic.attr.config;
			memcpy(ev->unit, generic.unit, sizeof(ev->unit));
		}
		return err;
	}
	err = event__pmu_alias(p, s, base);
	if (err != -ENOENT)
		return err;
	*used = len;
	err = try_vendor(p, s, len);
	if (err == -ENOENT && colon) {
		/* The vendor's attributes look like modifiers, and the other way round. */
		const char *last = memrchr(s, ':', len);

		*used = last - s;
		if (is_modifiers(last + 1, s + len - last - 1))
			err = try_vendor(p, s, *used);
	}
	if (err != -ENOENT)
		return err;
	rest = len - base;
	if (!colon || is_modifiers(colon + 1, rest - 1))
		return unknown_event(p, s, len);
	second = memchr(colon + 1, ':', rest - 1);
	*used = second ? (size_t)(second - s) : len;
	return event__tracepoint(p, s, base, colon + 1, s + *used - colon - 1);
}

/* "PMU/TERMS/". @used: up to the modifiers. */
static int parse_pmu(struct event_parser *p, const char *s, size_t len, size_t *used)
{
	const char *slash = memchr(s, '/', len), *end;

	end = memchr(slash + 1, '/', len - (slash + 1 - s));
	if (!end)
		return event__refuse(p, -EINVAL, "'%.*s': a '/' is missing behind the terms",
				     (int)len, s);
	*used = end + 1 - s;
	return event__pmu(p, s, slash - s, slash + 1, end - slash - 1);
}

static bool starts(const char *s, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && !strncmp(s, prefix, n);
}

static size_t tracepoint_prefix(const char *s, size_t len)
{
	return starts(s, len, "tracepoint:") ? 11 : starts(s, len, "t:") ? 2 : 0;
}

static int parse_tracepoint(struct event_parser *p, const char *s, size_t len, size_t prefix,
			    size_t *used)
{
	const char *category = s + prefix, *colon, *second;

	colon = memchr(category, ':', len - prefix);
	if (!colon)
		return event__refuse(p, -EINVAL, "'%.*s': write tracepoint:CATEGORY:NAME", (int)len,
				     s);
	second = memchr(colon + 1, ':', s + len - colon - 1);
	*used = second ? (size_t)(second - s) : len;
	return event__tracepoint(p, category, colon - category, colon + 1, s + *used - colon - 1);
}

/* One event without its rate: which kind it is shows in how it begins. */
static int parse_kind(struct event_parser *p, const char *s, size_t len, size_t *used)
{
	size_t prefix = tracepoint_prefix(s, len);

	if (prefix)
		return parse_tracepoint(p, s, len, prefix, used);
	if (starts(s, len, "mem:"))
		return event__breakpoint(p, s, len, used);
	if (starts(s, len, "rawtracepoint:") || starts(s, len, "rt:"))
		return event__refuse(p, -EINVAL,
				     "'%.*s': raw tracepoints are no perf events; use the "
				     "tracepoint CATEGORY:NAME",
				     (int)len, s);
	if (event__probe_prefix(s, len)) {
		*used = len;
		return event__probe(p, s, len);
	}
	if (memchr(s, '/', len))
		return parse_pmu(p, s, len, used);
	return parse_plain(p, s, len, used);
}

static int parse_rate(struct event_parser *p, const char *s, size_t len, uint64_t *hz,
		      uint64_t *period)
{
	bool is_hz = len > 2 && !strncasecmp(s + len - 2, "hz", 2);
	char number[32];

	snprintf(number, sizeof(number), "%.*s", (int)(is_hz ? len - 2 : len), s);
	if (len < sizeof(number) && !parse__count(number, 1, INT64_MAX, is_hz ? hz : period))
		return 0;
	return event__refuse(p, -EINVAL, "'@%.*s' is no rate; write @99hz or, as a period, @100000",
			     (int)len, s);
}

/* Only with their modifiers two events of one name can be told apart. */
static int complete_name(struct perf_event_spec *ev, const char *modifiers, size_t len)
{
	size_t old = strlen(ev->name);
	char *name;

	if (!len)
		return 0;
	name = realloc(ev->name, old + len + 2);
	if (!name)
		return -ENOMEM;
	ev->name = name;
	name += old;
	if (name[-1] != '/')
		*name++ = ':';
	memcpy(name, modifiers, len);
	name[len] = '\0';
	return 0;
}

static int parse_event(struct event_parser *p, const char *s, size_t len)
{
	const char *at = memrchr(s, '@', len);
	size_t named = at ? (size_t)(at - s) : len, used = 0, first = p->list->nr, mods;
	uint64_t hz = 0, period = 0;
	struct modifiers m = {};
	int err = 0;

	if (!named)
		return event__refuse(p, -EINVAL, "empty event name");
	if (at)
		err = parse_rate(p, at + 1, len - named - 1, &hz, &period);
	if (!err)
		err = parse_kind(p, s, named, &used);
	if (err)
		return err;
	mods = used < named && s[used] == ':' ? used + 1 : used;
	err = parse_modifiers(p, &m, s + mods, named - mods);
	for (size_t i = first; i < p->list->nr && !err; i++) {
		struct perf_event_spec *ev = &p->list->items[i];

		apply_modifiers(ev, &m, p->group < 0 || !i || ev[-1].group != p->group);
		if (at) {
			ev->hz = hz;
			ev->period = period;
		}
		err = complete_name(ev, s + mods, named - mods);
		if (!err && ev->attr.precise_ip && ev->attr.type == PERF_TYPE_SOFTWARE) {
			log__notice("'%s': p changes nothing, software knows where it was",
				    ev->name);
			ev->attr.precise_ip = 0;
			ev->most_precise = false;
		}
	}
	return err;
}

/* How long the next event is: commas between the slashes of a PMU are its own. */
static size_t event_len(const char *s)
{
	size_t end = strcspn(s, ",}"), slash = strcspn(s, ",}/");
	const char *close;

	if (s[slash] != '/' || event__probe_prefix(s, end) || starts(s, end, "mem:"))
		return end;
	close = strchr(s + slash + 1, '/');
	return close ? (size_t)(close + 1 - s) + strcspn(close + 1, ",}") : end;
}

/* Behind the '}': modifiers for all of the group. @at: moved behind them. */
static int end_group(struct event_parser *p, size_t first, const char **at)
{
	struct modifiers m = {};
	size_t len;
	int err;

	if (first == p->list->nr)
		return event__refuse(p, -EINVAL, "an empty group");
	p->group = EVENT_NO_GROUP;
	if (**at != ':')
		return 0;
	++*at;
	len = strcspn(*at, ",");
	err = parse_modifiers(p, &m, *at, len);
	for (size_t i = first; i < p->list->nr && !err; i++) {
		apply_modifiers(&p->list->items[i], &m, i == first);
		err = complete_name(&p->list->items[i], *at, len);
	}
	*at += len;
	return err;
}

static int parse_list(struct event_parser *p, const char *at)
{
	size_t first = 0, len;
	int err;

	for (;;) {
		if (*at == '{') {
			if (p->group >= 0)
				return event__refuse(p, -EINVAL, "a group inside of a group");
			p->group = p->list->nr_groups++;
			first = p->list->nr;
			at++;
		}
		len = event_len(at);
		err = parse_event(p, at, len);
		at += len;
		if (!err && *at == '}') {
			at++;
			err = p->group < 0 ? event__refuse(p, -EINVAL, "a '}' without its '{'")
					   : end_group(p, first, &at);
		}
		if (err)
			return err;
		if (!*at)
			break;
		if (*at != ',')
			return event__refuse(p, -EINVAL, "'%s': a ',' is missing in front of it",
					     at);
		at++;
	}
	return p->group < 0 ? 0 : event__refuse(p, -EINVAL, "a '{' without its '}'");
}

int perf_events__parse(struct perf_events *l, const struct perf_event_env *env, const char *text,
		       struct buf *why)
{
	static const struct perf_event_env system_env = { .root = "" };
	struct event_parser p = { l, env ? env : &system_env, why, EVENT_NO_GROUP };

	if (strnlen(text, MAX_SPEC_BYTES) == MAX_SPEC_BYTES)
		return event__refuse(&p, -EINVAL, "the list of events is too long");
	return parse_list(&p, text);
}

int perf_events__set_filter(struct perf_events *l, const char *filter, struct buf *why)
{
	struct event_parser p = { l, NULL, why, EVENT_NO_GROUP };
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
