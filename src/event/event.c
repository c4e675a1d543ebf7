// SPDX-License-Identifier: BSD-2-Clause
/* The grammar of event lists: groups, rates, and which kind of event a name is. */
#include "event/event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "base/place.h"
#include "event/event_parse.h"
#include "event/pmu.h"
#include "event/tracefs.h"
#include "event/tracepoint.h"
#include "event/vendor.h"

enum { MAX_SPEC_BYTES = 64 * 1024 };

static const char BLANKS[] = " \t\n";

static bool is_pmu(const struct event_parser *p, const char *name)
{
	struct pmu *pmus;
	size_t nr, i;

	if (pmus__read(p->env->root, &pmus, &nr))
		return false;
	for (i = 0; i < nr && strcmp(pmus[i].name, name); i++)
		;
	pmus__free(pmus, nr);
	return i < nr;
}

/* The error for an unknown event: it may be a tracepoint without its category. */
static int refuse_unknown(struct event_parser *p, const char *name)
{
	struct buf path = {}, meant = {}, why = {};
	int err = tracefs__find(p->env->root, &path, &why);

	if (!err)
		err = tracepoint__suggest(path.data, name, &meant);
	if (err != -ENOMEM)
		err = event__refuse(p, -EINVAL, "unknown event '%s'%s%s", name,
				    meant.len ? meant.data : "; ",
				    meant.len ? "" : advice(ADVICE_LIST, p->env->reader));
	buf__free(&path);
	buf__free(&meant);
	buf__free(&why);
	return err;
}

static int unknown_event(struct event_parser *p, const char *s, size_t len)
{
	char name[128], near[64];

	event__at(p, s, len);
	snprintf(name, sizeof(name), "%.*s", (int)len, s);
	if (is_pmu(p, name))
		return event__refuse(p, -EINVAL, "'%s' is a PMU, no event; write %s/TERMS/", name,
				     name);
	if (event__nearest(name, near, sizeof(near)))
		return event__refuse(p, -EINVAL, "unknown event '%s'; did you mean %s?", name,
				     near);
	return refuse_unknown(p, name);
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
	err = vendor__encode(name, &attr, NULL);
	if (err == -EINVAL)
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

/* "skl::INST_RETIRED:ANY": libpfm4 says what is wrong with it. */
static int refuse_vendor(struct event_parser *p, const char *s, size_t len)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	char *name = strndup(s, len);
	int err = name ? vendor__encode(name, &attr, p->why) : -ENOMEM;

	free(name);
	if (err == -ENOMEM || (p->why->len && p->why->data[p->why->len - 1] == '?'))
		return err == -ENOMEM ? err : -EINVAL;
	return event__refuse(p, -EINVAL, "; %s", advice(ADVICE_LIST, p->env->reader));
}

/* "NAME[:MODIFIERS]" or "CATEGORY:NAME[:MODIFIERS]". @used: up to the modifiers. */
static int parse_plain(struct event_parser *p, const char *s, size_t len, size_t *used)
{
	size_t number = event__type_and_config_len(s, len), base, rest;
	const char *colon = memchr(s, ':', len), *second;
	int err;

	base = number ? number : colon ? (size_t)(colon - s) : len;
	*used = base;
	event__at(p, s, base);
	err = event__generic(p, s, base);
	if (err != -ENOENT)
		return err;
	err = event__pmu_alias(p, s, base);
	if (err != -ENOENT)
		return err;
	*used = len;
	err = try_vendor(p, s, len);
	if (err == -ENOENT && colon) {
		/* The vendor's attributes look like modifiers, and the other way round. */
		const char *last = memrchr(s, ':', len);

		*used = last - s;
		if (event__is_modifiers(last + 1, s + len - last - 1))
			err = try_vendor(p, s, *used);
	}
	if (err != -ENOENT)
		return err;
	if (colon && colon + 1 < s + len && colon[1] == ':')
		return refuse_vendor(p, s, len);
	rest = len - base;
	if (!colon || event__is_modifiers(colon + 1, rest - 1))
		return unknown_event(p, s, base);
	if (event__number_len(s, len) == base)
		return event__refuse(p, -EINVAL,
				     "'%.*s' is no event; write TYPE:CONFIG in numbers, as 1:2 or "
				     "4:0x1b0",
				     (int)len, s);
	second = memchr(colon + 1, ':', rest - 1);
	*used = second ? (size_t)(second - s) : len;
	event__at(p, s, *used);
	return event__tracepoint(p, s, base, colon + 1, s + *used - colon - 1);
}

/* "./prog:main" */
static bool is_function(const struct event_parser *p, const char *s, size_t len)
{
	char *path = strndup(s, len), *colon = path ? strrchr(path, ':') : NULL;
	bool is = false;

	if (colon) {
		*colon = '\0';
		is = event__is_function(p, path, colon + 1);
	}
	free(path);
	return is;
}

/* "PMU/TERMS/" or "NAME/TERMS/". @used: up to the modifiers. */
static int parse_terms(struct event_parser *p, const char *s, size_t len, size_t *used)
{
	const char *slash = memchr(s, '/', len), *terms = slash + 1, *end;
	size_t name_len = slash - s;
	int err;

	end = memchr(terms, '/', s + len - terms);
	if ((!end || strchr("./", *s)) && is_function(p, s, len))
		return event__refuse(p, -EINVAL, "'%.*s': a function is written uprobe:%.*s",
				     (int)len, s, (int)len, s);
	if (!end) {
		event__at(p, s + len, 0);
		return event__refuse(p, -EINVAL,
				     "'%.*s': a '/' is missing behind the terms; write %.*s/",
				     (int)len, s, (int)len, s);
	}
	*used = end + 1 - s;
	event__at(p, s, *used);
	err = event__generic_terms(p, s, name_len, terms, end - terms);
	if (err != -ENOENT)
		return err;
	if (memchr(s, ':', name_len))
		return event__refuse(p, -EINVAL,
				     "'%.*s' takes no terms; leave out what is between the '/'",
				     (int)name_len, s);
	return event__pmu(p, s, name_len, terms, end - terms);
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

static size_t raw_tracepoint_prefix(const char *s, size_t len)
{
	return starts(s, len, "rawtracepoint:") ? 14 : starts(s, len, "rt:") ? 3 : 0;
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
	prefix = raw_tracepoint_prefix(s, len);
	if (prefix) {
		*used = len;
		return event__raw_tracepoint(p, s, len, prefix);
	}
	if (event__probe_prefix(s, len)) {
		*used = len;
		return event__probe(p, s, len);
	}
	if (memchr(s, '/', len))
		return parse_terms(p, s, len, used);
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

/* The error for an event without a name, which depends on what is around it. */
static int refuse_empty(struct event_parser *p, const char *s)
{
	const char *hint = p->group >= 0	      ? "write events between the '{' and the '}'"
			   : *s == ',' || s > p->text ? "write one there, or leave out the ','"
						      : advice(ADVICE_LIST, p->env->reader);

	event__at(p, s, 0);
	return event__refuse(p, -EINVAL, "empty event name; %s", hint);
}

static int parse_event(struct event_parser *p, const char *s, size_t len)
{
	const char *at = memrchr(s, '@', len);
	size_t named = at ? (size_t)(at - s) : len, used = 0, first = p->list->nr;
	uint64_t hz = 0, period = 0;
	int err = 0;

	if (!named || *s == ':')
		return refuse_empty(p, s);
	if (at) {
		event__at(p, at, len - named);
		err = parse_rate(p, at + 1, len - named - 1, &hz, &period);
	}
	if (err)
		return err;
	event__at(p, s, named);
	err = parse_kind(p, s, named, &used);
	if (err)
		return err;
	used += used < named && s[used] == ':';
	for (size_t i = first; at && i < p->list->nr; i++) {
		p->list->items[i].hz = hz;
		p->list->items[i].period = period;
		p->list->items[i].has_rate = true;
	}
	return event__modify(p, first, s + used, named - used);
}

/* Bytes of the next event: commas between the slashes of a PMU do not end it. */
static size_t event_len(const char *s)
{
	size_t end = strcspn(s, ",}"), slash = strcspn(s, ",}/");
	const char *close;

	if (event__probe_prefix(s, end))
		return end;
	if (s[slash] != '/' || starts(s, end, "mem:"))
		return strcspn(s, ",{}");
	close = strchr(s + slash + 1, '/');
	return close ? (size_t)(close + 1 - s) + strcspn(close + 1, ",{}") : end;
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, BLANKS);
}

/* Without the blanks at its end. */
static size_t trimmed(const char *s, size_t len)
{
	while (len && strchr(BLANKS, s[len - 1]))
		len--;
	return len;
}

/* Modifiers for all of the group. @at: behind the '}', moved behind them. */
static int end_group(struct event_parser *p, size_t first, const char **at)
{
	size_t len;
	int err;

	p->group = EVENT_NO_GROUP;
	*at = skip_blanks(*at);
	if (**at != ':')
		return 0;
	++*at;
	len = strcspn(*at, ",");
	err = event__modify(p, first, *at, trimmed(*at, len));
	*at += len;
	return err;
}

size_t perf_events__first(const char *text)
{
	const char *start = skip_blanks(text), *end = *start == '{' ? strchr(start, '}') : NULL;

	return end ? (size_t)(end - text) + strcspn(end, ",") : start - text + event_len(start);
}

/* An event and what opens or closes a group around it. @at: moved behind them. */
static int parse_member(struct event_parser *p, size_t *first, const char **at)
{
	size_t len;
	int err;

	*at = skip_blanks(*at);
	while (**at == '{') {
		event__at(p, *at, 1);
		if (p->group >= 0)
			return event__refuse(p, -EINVAL,
					     "a group inside of a group; leave out its braces");
		p->group = p->list->nr_groups++;
		p->brace = *at;
		*first = p->list->nr;
		*at = skip_blanks(*at + 1);
	}
	len = event_len(*at);
	err = parse_event(p, *at, trimmed(*at, len));
	if (err)
		return err;
	*at = skip_blanks(*at + len);
	if (**at != '}')
		return 0;
	event__at(p, *at, 1);
	if (p->group < 0)
		return event__refuse(p, -EINVAL,
				     "a '}' without its '{'; write that in front of the group's "
				     "first event");
	++*at;
	err = end_group(p, *first, at);
	*at = skip_blanks(*at);
	return err;
}

static int parse_list(struct event_parser *p)
{
	const char *at = p->text;
	size_t first = 0;
	int err;

	for (;;) {
		err = parse_member(p, &first, &at);
		if (err)
			return err;
		if (!*at)
			break;
		event__at(p, at, strlen(at));
		if (*at != ',')
			return event__refuse(p, -EINVAL, "'%s': a ',' is missing in front of it",
					     at);
		at++;
	}
	if (p->group < 0)
		return 0;
	event__at(p, p->brace, 1);
	return event__refuse(p, -EINVAL,
			     "a '{' without its '}'; write that behind the group's last event");
}

/* "in 'cs,cycels', column 4: "; nothing where the whole list is what is wrong. */
static int put_place(const struct event_parser *p, struct buf *out)
{
	if (!p->bad || p->bad_len == strlen(p->text))
		return 0;
	return place__put(out, p->text, p->bad);
}

int perf_events__parse(struct perf_events *l, const struct perf_event_env *env, const char *text,
		       struct buf *why)
{
	static const struct perf_event_env system_env = { .root = "" };
	struct buf sentence = {};
	struct event_parser p = {
		.list = l,
		.env = env ? env : &system_env,
		.why = &sentence,
		.group = EVENT_NO_GROUP,
		.text = text,
	};
	int err, full = 0;

	if (strnlen(text, MAX_SPEC_BYTES) == MAX_SPEC_BYTES)
		err = event__refuse(&p, -EINVAL, "the list of events is too long");
	else
		err = parse_list(&p);
	if (err == -EINVAL)
		full = put_place(&p, why);
	if (!full && sentence.len)
		full = buf__puts(why, sentence.data);
	buf__free(&sentence);
	return full ? full : err;
}
