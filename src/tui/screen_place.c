// SPDX-License-Identifier: BSD-2-Clause
/* The line above the table: which view, of which process, CPU or cgroup, with which filters. */
#include <stdio.h>

#include "tui/screen_parts.h"

enum { NARROW_WIDTH = 60 };

static const char *const view_names[] = { "processes", "threads", "cgroups", "functions", "CPUs" };

/* Where the next word goes. */
struct place_line {
	struct canvas *c; /* NULL: only to know how wide it is */
	int x, y;
};

static void put(struct place_line *l, enum style style, const char *text)
{
	if (l->c)
		canvas__put(l->c, l->x, l->y, l->c->width - l->x, style, text);
	l->x += text__width(text);
}

static void put_state(struct place_line *l, enum style style, const char *label, const char *text)
{
	put(l, style, "  ");
	put(l, style, label);
	put(l, style, text);
}

static void put_views(struct place_line *l, const struct screen *s, bool all)
{
	const char *between = "";

	for (size_t i = 0; i < ARRAY_SIZE(view_names); i++) {
		bool is_here = i == s->what || (i == SCREEN_FUNCTIONS && s->what == SCREEN_STACKS);
		char text[32];

		if (!is_here && !all)
			continue;
		snprintf(text, sizeof(text), is_here ? "%s[%s]" : "%s %s ", between, view_names[i]);
		put(l, is_here ? STYLE_STRONG : STYLE_DIM, text);
		between = " ";
	}
}

static void put_states(struct place_line *l, const struct screen *s)
{
	const struct view *v = &s->view;
	const struct processes *known = s->opts.data->processes;
	const char *filter = s->what == SCREEN_FUNCTIONS ? s->funcs.filter : v->filter;
	const char *of = known ? processes__cgroup(known, v->cgroup) : NULL;
	char text[64];

	if (s->is_paused)
		put_state(l, STYLE_ALERT, "paused", "");
	if (s->only_tid || v->only_tgid) {
		screen__name_subject(s, text, sizeof(text));
		put_state(l, STYLE_LABEL, "of ", text);
	}
	if (s->subject.exited_by_ns && (s->only_tid || v->only_tgid))
		put(l, STYLE_ALERT, " (exited)");
	snprintf(text, sizeof(text), "%u", v->cpu);
	if (v->only_cpu && !s->only_tid)
		put_state(l, STYLE_LABEL, "on CPU ", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)v->cgroup);
	if (v->only_cgroup)
		put_state(l, STYLE_LABEL, "of cgroup ", of ? of : text);
	if (filter[0])
		put_state(l, STYLE_LABEL, "filter: ", filter);
	if (v->user[0])
		put_state(l, STYLE_LABEL, "user: ", v->user);
	if (v->hides_kernel)
		put_state(l, STYLE_LABEL, "without the kernel's threads", "");
}

/* Where not all of it has room, other views are left out first. */
void screen__draw_place(const struct screen *s, struct canvas *c, int y)
{
	struct place_line all = {}, line = { .c = c, .y = y };

	put_views(&all, s, true);
	put_states(&all, s);
	put_views(&line, s, c->width >= NARROW_WIDTH && all.x <= c->width);
	put_states(&line, s);
}
