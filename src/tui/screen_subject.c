// SPDX-License-Identifier: BSD-2-Clause
/* Looks for the subject in an interval, and says what is known of it. */
#include "tui/screen_subject.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void screen__begin_subject(struct screen_place *p, const struct live *l, const struct live_row *row)
{
	p->subject = (struct screen_subject){};
	memcpy(p->subject.comm, row->comm, sizeof(p->subject.comm));
	if (row->exited)
		p->subject.exited_by_ns = live__interval(l)->at_ns;
}

/*
 * Looks for the subject in the interval, by its id. Ids are reused: while a task of that id has not
 * exited, the subject is taken for alive. An earlier interval of a recording brings it back.
 */
static void follow(const struct live *l, bool is_thread, uint32_t id,
		   struct screen_subject *subject)
{
	const unsigned end =
		is_thread ? LIVE_THREAD_ENDED | LIVE_PROCESS_ENDED : LIVE_PROCESS_ENDED;
	const uint64_t at_ns = live__interval(l)->at_ns;
	bool is_alive = false, has_ended = false;

	for (size_t i = 0; i < live__nr_tasks(l); i++) {
		unsigned ends;
		const struct live_task *t = live__task(l, i, &ends);

		if ((is_thread ? t->tid : t->tgid) != id)
			continue;
		is_alive |= !(ends & end);
		has_ended |= (ends & end) != 0;
		if (is_thread || t->tid == t->tgid)
			memcpy(subject->comm, t->comm, sizeof(subject->comm));
	}
	if (is_alive || at_ns < subject->exited_by_ns)
		subject->exited_by_ns = 0;
	else if (has_ended)
		subject->exited_by_ns = at_ns;
}

void screen__follow_subjects(struct screen *s)
{
	const struct live *l = s->opts.data->live;

	if (s->only_tid || s->view.only_tgid)
		follow(l, s->only_tid, s->only_tid ? s->tid : s->view.tgid, &s->subject);
	for (size_t i = 0; i < s->nr_trail; i++) {
		struct screen_place *p = &s->trail[i];

		if (p->only_tid || p->only_tgid)
			follow(l, p->only_tid, p->only_tid ? p->tid : p->tgid, &p->subject);
	}
}

static void put_time(uint64_t ns, char text[16])
{
	time_t at = ns / 1000000000;
	struct tm local;

	text[0] = '\0';
	if (localtime_r(&at, &local))
		strftime(text, 16, "%H:%M:%S", &local);
}

void screen__name_subject(const struct screen *s, char *text, size_t size)
{
	const char *name = s->subject.comm;

	snprintf(text, size, "%s %u%s%s", s->only_tid ? "thread" : "process",
		 s->only_tid ? s->tid : s->view.tgid, *name ? " " : "", name);
}

const char *screen__missing(struct screen *s, const char *otherwise)
{
	const uint64_t by_ns = s->subject.exited_by_ns;
	char name[64], when[16];

	if (!s->only_tid && !s->view.only_tgid)
		return otherwise;
	screen__name_subject(s, name, sizeof(name));
	put_time(by_ns, when);
	if (by_ns)
		snprintf(s->missing, sizeof(s->missing), "%s has exited, by %s: Esc leads back",
			 name, when);
	else if (!screen__has_samples(s->what))
		snprintf(s->missing, sizeof(s->missing), "%s has not run in this interval", name);
	else
		return otherwise;
	return s->missing;
}
