// SPDX-License-Identifier: BSD-2-Clause
/* The screen itself: new intervals, modes that take keys, pages put together. */
#include "tui/screen_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	TINY_HEIGHT = 8,  /* below, a page has no header, so that the selected row is seen */
	PLACE_HEIGHT = 5, /* below, nor is there the line that says which view it is */
};

int screen__new(struct screen **out, const struct screen_opts *opts)
{
	const struct columns *columns = opts->data->columns;
	const char *sort = opts->sort ? opts->sort : columns->nr ? columns->items[0].name : "";
	struct screen *s = *out = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	s->opts = *opts;
	s->funcs.invert = opts->invert;
	s->view.invert = opts->invert;
	s->view.full_commands = opts->full_commands;
	err = view__sort_by(&s->view, sort);
	return err ? err : screen__go_to(s, opts->what);
}

void screen__free(struct screen *s)
{
	if (!s)
		return;
	view__free(&s->view);
	funcs__free(&s->funcs);
	stack_page__free(&s->stacks);
	header__free(&s->header);
	help__free(&s->help);
	chooser__free(&s->chooser);
	buf__free(&s->text);
	free(s);
}

void screen__notice(struct screen *s, const char *text)
{
	screen__tell(s, true, "%s", text);
}

bool screen__is_paused(const struct screen *s)
{
	return s->is_paused;
}

int screen__update(struct screen *s)
{
	int err = header__update(&s->header, s->opts.data);

	screen__follow_subjects(s);
	return err ? err : screen__refill(s);
}

static int input_prompt(struct screen *s, const struct input *in)
{
	enum prompt_end end = prompt__input(&s->prompt, in);

	if (end != PROMPT_GOES_ON)
		s->mode = SCREEN_TABLE;
	return end == PROMPT_DONE ? screen__answer(s) : 0;
}

static int input_chooser(struct screen *s, const struct input *in)
{
	enum chooser_end end = chooser__input(&s->chooser, in);

	if (end == CHOOSER_DONE)
		return screen__chosen(s);
	if (end == CHOOSER_CANCELLED)
		s->mode = SCREEN_TABLE;
	return 0;
}

static int input_table(struct screen *s, const struct input *in)
{
	int done = s->what == SCREEN_STACKS ? stack_page__input(&s->stacks, in) : 0;

	if (done)
		return done < 0 ? done : 0;
	switch (in->code) {
	case INPUT_CLICK:
		return screen__click(s, in);
	case INPUT_WHEEL_UP:
		screen__move(s, -3);
		return 0;
	case INPUT_WHEEL_DOWN:
		screen__move(s, 3);
		return 0;
	}
	return screen__act(s, keys__find(in->code));
}

int screen__input(struct screen *s, const struct input *in)
{
	s->message[0] = '\0';
	switch (s->mode) {
	case SCREEN_HELP:
		if (!help__input(&s->help, in))
			s->mode = SCREEN_TABLE;
		return 0;
	case SCREEN_COLUMNS:
	case SCREEN_SORT:
		return input_chooser(s, in);
	case SCREEN_PROMPT:
		return input_prompt(s, in);
	case SCREEN_TABLE:
		return input_table(s, in);
	}
	return 0;
}

/* A table without rows says why. */
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

	return (s->opts.data->nr_intervals ? KEYLINE_REPLAY : 0) | (is_tree ? KEYLINE_TREE : 0);
}

static void draw_last_line(const struct screen *s, struct canvas *c, int y)
{
	/* A table draws two lines at least: on a tiny page this is one of them. */
	for (int x = 0; x < c->width; x++)
		canvas__put(c, x, y, 1, STYLE_PLAIN, " ");
	if (s->mode == SCREEN_PROMPT)
		prompt__draw(&s->prompt, c, y);
	else if (s->message[0])
		canvas__put(c, 0, y, c->width, s->is_alert ? STYLE_ALERT : STYLE_STRONG,
			    s->message);
	else
		keyline__draw(c, y, states_of(s));
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
		screen__draw_place(s, c, y++);
	if (s->what == SCREEN_FUNCTIONS)
		funcs__draw(&s->funcs, c, y, c->height - y - 1);
	else if (s->what == SCREEN_STACKS)
		err = stack_page__draw(&s->stacks, c, y, c->height - y - 1);
	else
		draw_grid(s, c, y);
	draw_last_line(s, c, c->height - 1);
	return err;
}
