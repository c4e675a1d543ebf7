// SPDX-License-Identifier: BSD-2-Clause
/* Modifiers behind an event or a group: "u", "kpp". As get_event_modifier() of perf has them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "event/event_parse.h"

static const char MODIFIERS[] = "ukhGHIpPDe";

/* What modifiers say, before it is known how many events they are for. */
struct modifiers {
	bool u, k, h, guest, host, idle, most_precise, pinned, exclusive;
	unsigned precise;
};

bool event__is_modifiers(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!memchr(MODIFIERS, s[i], sizeof(MODIFIERS) - 1))
			return false;
	return len;
}

const char *perf_event__modifiers(const char *name)
{
	const char *end = name + strlen(name), *colon = strrchr(name, ':');
	const char *at = colon ? colon : strrchr(name, '/');

	return at && event__is_modifiers(at + 1, end - at - 1) ? at + 1 : end;
}

bool perf_event__is_bare_name(const char *event, const char *name)
{
	const char *at = perf_event__modifiers(event);
	const size_t len = at - event - (at > event && *at && at[-1] == ':');

	return strlen(name) == len && !strncmp(event, name, len);
}

static bool set_flag(struct modifiers *m, char letter)
{
	const struct {
		char letter;
		bool *flag;
	} flags[] = {
		{ 'u', &m->u },	     { 'k', &m->k },	     { 'h', &m->h },
		{ 'G', &m->guest },  { 'H', &m->host },	     { 'I', &m->idle },
		{ 'D', &m->pinned }, { 'e', &m->exclusive }, { 'P', &m->most_precise },
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (flags[i].letter != letter)
			continue;
		*flags[i].flag = true;
		return true;
	}
	return false;
}

static int parse(struct event_parser *p, struct modifiers *m, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		event__at(p, s + i, 1);
		if (s[i] == 'p')
			m->precise++;
		else if (!set_flag(m, s[i]))
			return event__refuse(p, -EINVAL,
					     "unknown modifier '%c' in ':%.*s'; known: u k h I G H "
					     "p pp ppp P D e",
					     s[i], (int)len, s);
		else if (memchr(s, s[i], i))
			return event__refuse(p, -EINVAL, "the modifier '%c' is there twice", s[i]);
	}
	return 0;
}

/* Software events are exact anyway, and BPF programs cannot attach to them with precise_ip. */
static void forget_precision(struct perf_event_spec *ev)
{
	if (!ev->attr.precise_ip || ev->attr.type != PERF_TYPE_SOFTWARE)
		return;
	log__notice("'%s': p changes nothing, software knows where it was", ev->name);
	ev->attr.precise_ip = 0;
	ev->most_precise = false;
}

/*
 * As in perf: naming a privilege level excludes those not named; G and H work alike for guest and
 * host. A group's are added to those of its members. Being pinned or alone on the PMU is a matter
 * of a group's leader. False: too many p.
 */
static bool apply(struct perf_event_spec *ev, const struct modifiers *m, bool leader)
{
	struct perf_event_attr *a = &ev->attr;

	if ((m->u || m->k || m->h) && !a->exclude_user && !a->exclude_kernel && !a->exclude_hv)
		a->exclude_user = a->exclude_kernel = a->exclude_hv = 1;
	a->exclude_user &= !m->u;
	a->exclude_kernel &= !m->k;
	a->exclude_hv &= !m->h;
	if ((m->guest || m->host) && !a->exclude_guest && !a->exclude_host)
		a->exclude_guest = a->exclude_host = 1;
	a->exclude_guest &= !m->guest;
	a->exclude_host &= !m->host;
	a->exclude_idle |= m->idle;
	a->pinned |= leader && m->pinned;
	a->exclusive |= leader && m->exclusive;
	if (!ev->most_precise && a->precise_ip + m->precise > 3)
		return false;
	a->precise_ip = ev->most_precise ? 3 : a->precise_ip + m->precise;
	if (m->most_precise) {
		a->precise_ip = 3;
		ev->most_precise = true;
	}
	return true;
}

/* Only with their modifiers two events of one name can be told apart. */
static int complete_name(struct perf_event_spec *ev, const char *s, size_t len)
{
	size_t end = strlen(ev->name);
	char *name;

	if (!len || ev->named)
		return 0;
	name = realloc(ev->name, end + len + 2);
	if (!name)
		return -ENOMEM;
	ev->name = name;
	if (!ev->modifiers) {
		if (name[end - 1] != '/')
			name[end++] = ':';
		ev->modifiers = end;
	}
	for (size_t i = 0; i < len; i++)
		if (s[i] == 'p' || !memchr(name + ev->modifiers, s[i], end - ev->modifiers))
			name[end++] = s[i];
	name[end] = '\0';
	return 0;
}

int event__modify(struct event_parser *p, size_t first, const char *s, size_t len)
{
	struct modifiers m = {};
	int err = parse(p, &m, s, len);

	for (size_t i = first; i < p->list->nr && !err; i++) {
		struct perf_event_spec *ev = &p->list->items[i];
		bool leader = ev->group < 0 || !i || ev[-1].group != ev->group;

		if (!apply(ev, &m, leader)) {
			event__at(p, s, len);
			return event__refuse(p, -EINVAL, "':%.*s': at most three p", (int)len, s);
		}
		err = complete_name(ev, s, len);
		if (!err)
			forget_precision(ev);
	}
	return err;
}

int perf_event__put_user_name(const struct perf_event_spec *ev, struct buf *out)
{
	size_t len = ev->modifiers ? ev->modifiers : strlen(ev->name);
	bool behind = ev->modifiers || (!ev->named && len && ev->name[len - 1] == '/');
	int err = buf__put(out, ev->name, len);

	if (!err && !behind)
		err = buf__puts(out, ":");
	for (const char *m = ev->name + len; !err && *m; m++)
		if (!memchr("ukh", *m, 3))
			err = buf__put(out, m, 1);
	return err ? err : buf__puts(out, "u");
}
