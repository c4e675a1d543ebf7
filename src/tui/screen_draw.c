// SPDX-License-Identifier: BSD-2-Clause
/* Draws the screen: the header, the line that says where one is, the table, the last line. */
#include <stdio.h>

#include "tui/keyline.h"
#include "tui/screen_state.h"
#include "tui/screen_subject.h"

enum {
	NARROW_WIDTH = 60, /* a narrower page names the view that is shown, but no other */
	TINY_HEIGHT = 8,   /* a lower page has no header, so that rows fit on it */
	PLACE_HEIGHT = 5,  /* a lower page has no line that says which view it is */
};

static const char *const view_names[] = { "processes", "threads", "cgroups", "functions", "CPUs" };

/* The line that says which view it is, and where its next word goes. */
struct place_line {
	struct canvas *c; /* NULL: only measures how wide it gets */
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

/*
 * Draws the line above the table: which view, of which process, CPU or cgroup, with which filters.
 * If it does not fit, the names of other views are left out first.
 */
static void draw_place(const struct screen *s, struct canvas *c, int y)
{
	struct place_line all = {}, line = { .c = c, .y = y };

	put_views(&all, s, true);
	put_states(&all, s);
	put_views(&line, s, c->width >= NARROW_WIDTH && all.x <= c->width);
	put_states(&line, s);
}

/* Draws the table, or why it has no rows. */
static void draw_grid(struct screen *s, struct canvas *c, int y)
{
	const char *why = s->view.nr ? "" : screen__missing(s, "");

	grid__draw(&s->grid, &s->view, s->opts.data, c, y, c->height - y - 1);
	if (s->view.nr || !live__interval(s->opts.data->live)->interval_ns)
		return;
	if (!*why && (screen__filter(s)[0] || s->view.user[0]))
		why = "nothing that has run is left by the filters";
	else if (!*why && s->opts.data->filter)
		why = "nothing that was asked for has run in this interval";
	canvas__put(c, 1, y + 1, c->width - 1, STYLE_DIM, why);
}

static unsigned states_of(const struct screen *s)
{
	bool is_tree = !screen__has_samples(s->what) && view__is_tree(&s->view, s->opts.data);

	return (s->opts.data->nr_intervals ? KEYLINE_REPLAY : 0) | (is_tree ? KEYLINE_TREE : 0) |
	       (s->what == SCREEN_STACKS ? KEYLINE_STACKS : 0);
}

static void draw_last_line(const struct screen *s, struct canvas *c, int y)
{
	const struct lastline line = {
		.prompt = s->mode == SCREEN_PROMPT ? &s->prompt : NULL,
		.message = s->message,
		.is_alert = s->is_alert,
		.states = states_of(s),
	};

	lastline__draw(c, y, &line);
}

int screen__draw(struct screen *s, struct canvas *c)
{
	int y, err = 0;

	s->canvas = c;
	if (s->mode == SCREEN_HELP)
		help__draw(&s->help, c);
	else if (s->mode == SCREEN_COLUMNS || s->mode == SCREEN_SORT)
		chooser__draw(&s->chooser, c);
	if (s->mode != SCREEN_TABLE && s->mode != SCREEN_PROMPT)
		return 0;
	y = c->height < TINY_HEIGHT ? 0 : header__draw(&s->header, s->opts.data, c);
	if (!screen__has_samples(s->what) && c->height >= HEADER_SMALL_HEIGHT)
		y += grid__draw_absent(s->opts.data, c, y);
	if (c->height >= PLACE_HEIGHT)
		draw_place(s, c, y++);
	if (s->what == SCREEN_FUNCTIONS)
		funcs__draw(&s->funcs, c, y, c->height - y - 1);
	else if (s->what == SCREEN_STACKS)
		err = stack_page__draw(&s->stacks, c, y, c->height - y - 1);
	else
		draw_grid(s, c, y);
	draw_last_line(s, c, c->height - 1);
	return err;
}
