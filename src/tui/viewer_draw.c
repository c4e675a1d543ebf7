// SPDX-License-Identifier: BSD-2-Clause
/* Draws what the viewer looks at, with the keys that it has. */
#include <inttypes.h>

#include "tui/keyline.h"
#include "tui/lostline.h"
#include "tui/viewer_state.h"

enum { TINY_HEIGHT = 8 }; /* a lower page has no losses above the rows */

bool viewer__has_key(enum action action)
{
	switch (action) {
	case ACTION_UP:
	case ACTION_DOWN:
	case ACTION_PAGE_UP:
	case ACTION_PAGE_DOWN:
	case ACTION_FIRST:
	case ACTION_LAST:
	case ACTION_LEFT:
	case ACTION_RIGHT:
	case ACTION_ENTER:
	case ACTION_BACK:
	case ACTION_NEXT_VIEW:
	case ACTION_PREVIOUS_VIEW:
	case ACTION_FLAME:
	case ACTION_REVERSE:
	case ACTION_FOLD:
	case ACTION_UNFOLD:
	case ACTION_SORT:
	case ACTION_SORT_LEFT:
	case ACTION_SORT_RIGHT:
	case ACTION_INVERT:
	case ACTION_SEARCH:
	case ACTION_NEXT_MATCH:
	case ACTION_FILTER:
	case ACTION_EVENTS:
	case ACTION_WRITE:
	case ACTION_HELP:
	case ACTION_QUIT:
		return true;
	default:
		return false;
	}
}

static bool has_stacks_key(enum action action)
{
	switch (action) {
	case ACTION_FILTER:
	case ACTION_SORT:
	case ACTION_SORT_LEFT:
	case ACTION_SORT_RIGHT:
	case ACTION_INVERT:
		return false;
	default:
		return viewer__has_key(action);
	}
}

/* What is looked at, its event, and where one is in it. */
static void draw_place(const struct viewer *v, struct canvas *c, int y)
{
	static const char *const names[VIEWER_WHATS] = { "functions", "stacks", "flame graph" };
	const struct profile *p = v->opts.profile;
	int x = 0;

	for (int i = 0; i < VIEWER_WHATS; i++)
		x += canvas__printf(c, x, y, c->width - x,
				    i == (int)v->what ? STYLE_STRONG : STYLE_DIM,
				    i == (int)v->what ? "[%s] " : " %s  ", names[i]);
	if (p->nr_events)
		x += canvas__printf(c, x, y, c->width - x, STYLE_LABEL, " %s",
				    p->events[v->event].name);
	if (v->stacks.is_reversed && v->what != VIEWER_FUNCTIONS)
		x += canvas__put(c, x, y, c->width - x, STYLE_LABEL, "  by callers");
	if (v->funcs.filter[0] && v->what == VIEWER_FUNCTIONS)
		canvas__printf(c, x, y, c->width - x, STYLE_LABEL, "  filter: %s", v->funcs.filter);
}

/* Returns how many lines it takes. */
static int draw_header(const struct viewer *v, struct canvas *c)
{
	const struct profile *p = v->opts.profile;
	int x = canvas__put(c, 0, 0, c->width, STYLE_STRONG, v->opts.name), y = 1;

	if (p->nr_events)
		x += canvas__printf(c, x, 0, c->width - x, STYLE_PLAIN,
				    "  %" PRIu64 " samples of %s", p->events[v->event].samples,
				    p->events[v->event].name);
	if (profile__nr_sampled(p) > 1)
		x += canvas__printf(c, x, 0, c->width - x, STYLE_DIM, " (E: %zu more event%s)",
				    profile__nr_sampled(p) - 1,
				    profile__nr_sampled(p) > 2 ? "s" : "");
	if (p->duration_ns)
		x += canvas__printf(c, x, 0, c->width - x, STYLE_PLAIN, "  %.2f s",
				    p->duration_ns / 1e9);
	if (p->about.host && p->about.host[0])
		canvas__printf(c, x, 0, c->width - x, STYLE_PLAIN, "  %s  Linux %s", p->about.host,
			       p->about.kernel);
	if (c->height >= TINY_HEIGHT)
		lostline__draw_samples(&p->losses, c, y++);
	draw_place(v, c, y++);
	return y;
}

int viewer__draw(struct viewer *v, struct canvas *c)
{
	static const unsigned states[VIEWER_WHATS] = {
		[VIEWER_STACKS] = KEYLINE_STACKS | KEYLINE_TREE,
		[VIEWER_FLAME] = KEYLINE_STACKS,
	};
	const struct lastline line = {
		.prompt = v->mode == VIEWER_PROMPT ? &v->prompt : NULL,
		.message = v->message,
		.is_alert = v->is_alert,
		.states = states[v->what],
		.has = v->what == VIEWER_FUNCTIONS ? viewer__has_key : has_stacks_key,
	};
	int y, err = 0;

	v->canvas = c;
	if (v->mode == VIEWER_HELP)
		help__draw(&v->help, c);
	else if (v->mode == VIEWER_EVENTS)
		chooser__draw(&v->chooser, c);
	if (v->mode == VIEWER_HELP || v->mode == VIEWER_EVENTS)
		return 0;
	y = draw_header(v, c);
	if (v->what == VIEWER_FUNCTIONS)
		funcs__draw(&v->funcs, c, y, c->height - y - 1);
	else
		err = stack_page__draw(&v->stacks, c, y, c->height - y - 1);
	lastline__draw(c, c->height - 1, &line);
	return err;
}
