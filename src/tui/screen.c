// SPDX-License-Identifier: BSD-2-Clause
/* The screen itself: new intervals, modes that take keys, pages put together. */
#include "tui/screen_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	case SCREEN_PROMPT:
		return screen__answer(s, in);
	case SCREEN_TABLE:
		return input_table(s, in);
	}
	return 0;
}
