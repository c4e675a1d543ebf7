// SPDX-License-Identifier: BSD-2-Clause
/* The screen: takes new intervals, and does what keys and clicks stand for. */
#include "tui/screen.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tui/screen_ask.h"
#include "tui/screen_go.h"
#include "tui/screen_rows.h"
#include "tui/screen_state.h"
#include "tui/screen_subject.h"

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

static int click_functions(struct screen *s, const struct input *in)
{
	enum funcs_sort sort;
	size_t line;

	if (!funcs__hit(&s->funcs, in->x, in->y, &sort, &line))
		return 0;
	if (sort == FUNCS_SORTS)
		funcs__select(&s->funcs, line);
	else if (sort == s->funcs.sort)
		return screen__invert(s);
	else
		return screen__sort_functions(s, sort);
	return 0;
}

static int click(struct screen *s, const struct input *in)
{
	const struct columns *all = s->opts.data->columns;
	size_t index;

	if (s->what == SCREEN_FUNCTIONS)
		return click_functions(s, in);
	switch (grid__hit(&s->grid, &s->view, in->x, in->y, &index)) {
	case GRID_ROW:
		view__select(&s->view, index);
		return 0;
	case GRID_TITLE:
		if (index < all->nr && view__is_sorted_by(&s->view, all->items[index].name))
			return screen__invert(s);
		return screen__sort_by(s, index);
	case GRID_NOTHING:
		break;
	}
	return 0;
}

/* Tags or untags the selected row, and selects the next one; @none: untags all. */
static int tag(struct screen *s, bool none)
{
	int err;

	if (none) {
		view__untag_all(&s->view);
		return 0;
	}
	if (!screen__has_selected(s))
		return 0;
	err = view__toggle_tag(&s->view, view__selected(&s->view)->id);
	screen__move(s, 1);
	return err;
}

static int toggle(struct screen *s, bool *what)
{
	*what = !*what;
	return screen__refill(s);
}

/* Folds or unfolds a branch of the tree of processes; tui/stack_page.h does so with stacks. */
static int fold(struct screen *s, bool fold)
{
	int err;

	if (!view__is_tree(&s->view, s->opts.data)) {
		screen__tell(s, true, "only trees are folded (t), and stacks");
		return 0;
	}
	if (!screen__has_selected(s))
		return 0;
	err = view__fold(&s->view, fold);
	return err ? err : screen__refill(s);
}

static void move_columns(struct screen *s, int step)
{
	if (step < 0 && s->grid.first_column)
		s->grid.first_column--;
	else if (step > 0 && s->grid.first_column + 1 < s->opts.data->columns->nr)
		s->grid.first_column++;
}

static int help(struct screen *s)
{
	s->mode = SCREEN_HELP;
	return help__begin(&s->help, s->opts.data->columns, NULL);
}

static void move(struct screen *s, enum action action)
{
	const long all = LONG_MAX / 2;
	long page = s->what == SCREEN_FUNCTIONS ? funcs__page(&s->funcs) : grid__page(&s->grid);

	switch (action) {
	case ACTION_UP:
		screen__move(s, -1);
		break;
	case ACTION_DOWN:
		screen__move(s, 1);
		break;
	case ACTION_PAGE_UP:
		screen__move(s, -page);
		break;
	case ACTION_PAGE_DOWN:
		screen__move(s, page);
		break;
	case ACTION_FIRST:
		screen__move(s, -all);
		break;
	case ACTION_LAST:
		screen__move(s, all);
		break;
	default:
		break;
	}
}

/* By how many intervals the action moves, LONG_MAX: to the end; 0: it does not. */
static long steps_of(enum action action)
{
	switch (action) {
	case ACTION_EARLIER:
		return -1;
	case ACTION_LATER:
		return 1;
	case ACTION_MUCH_EARLIER:
		return -10;
	case ACTION_MUCH_LATER:
		return 10;
	case ACTION_EARLIEST:
		return -LONG_MAX;
	case ACTION_LATEST:
		return LONG_MAX;
	default:
		return 0;
	}
}

static int seek(struct screen *s, long by)
{
	const struct screen_fns *fns = &s->opts.fns;
	struct buf why = {};
	int err;

	if (!fns->seek) {
		screen__tell(s, true, "this is no recording: there is only now");
		return 0;
	}
	err = fns->seek(fns->arg, by, &why);
	if (err || why.len)
		screen__tell(s, true, "%s", why.len ? why.data : strerror(-err));
	buf__free(&why);
	if (err)
		return err == -ENOMEM ? err : screen__refill(s);
	if (by != 1)
		header__forget(&s->header);
	return screen__update(s);
}

/* Whether the action means anything in that view. */
static bool is_for(enum screen_what what, enum action action)
{
	switch (action) {
	case ACTION_LEFT:
	case ACTION_RIGHT:
	case ACTION_COLUMNS:
	case ACTION_TREE:
	case ACTION_FOLD:
	case ACTION_UNFOLD:
	case ACTION_COMMAND:
	case ACTION_TAG:
	case ACTION_UNTAG:
		return !screen__has_samples(what);
	case ACTION_FILTER:
	case ACTION_SORT:
	case ACTION_SORT_LEFT:
	case ACTION_SORT_RIGHT:
	case ACTION_INVERT:
		return what != SCREEN_STACKS;
	case ACTION_REVERSE:
	case ACTION_FLAME:
		return what == SCREEN_STACKS;
	default:
		return true;
	}
}

static int act(struct screen *s, enum action action)
{
	if (!is_for(s->what, action)) {
		screen__tell(s, true, "this key is not for %s",
			     s->what == SCREEN_STACKS	   ? "stacks"
			     : s->what == SCREEN_FUNCTIONS ? "functions"
							   : "this table, but for stacks");
		return 0;
	}
	switch (action) {
	case ACTION_LEFT:
	case ACTION_RIGHT:
		move_columns(s, action == ACTION_LEFT ? -1 : 1);
		return 0;
	case ACTION_ENTER:
		return screen__enter(s);
	case ACTION_BACK:
		return screen__back(s);
	case ACTION_NEXT_VIEW:
	case ACTION_PREVIOUS_VIEW:
		return screen__step_view(s, action == ACTION_NEXT_VIEW ? 1 : -1);
	case ACTION_THREADS:
		return screen__go_to(s,
				     s->what == SCREEN_THREADS ? SCREEN_PROCESSES : SCREEN_THREADS);
	case ACTION_TREE:
		return toggle(s, &s->view.tree);
	case ACTION_FOLD:
	case ACTION_UNFOLD:
		return fold(s, action == ACTION_FOLD);
	case ACTION_SORT:
		return screen__ask_sort(s);
	case ACTION_SORT_LEFT:
	case ACTION_SORT_RIGHT:
		return screen__sort_beside(s, action == ACTION_SORT_LEFT ? -1 : 1);
	case ACTION_INVERT:
		return screen__invert(s);
	case ACTION_NEXT_MATCH:
		return screen__search(s, true);
	case ACTION_KERNEL:
		s->view.hides_kernel = !s->view.hides_kernel;
		return screen__refilter(s);
	case ACTION_COMMAND:
		return toggle(s, &s->view.full_commands);
	case ACTION_TAG:
	case ACTION_UNTAG:
		return tag(s, action == ACTION_UNTAG);
	case ACTION_PAUSE:
		s->is_paused = !s->is_paused;
		return 0;
	case ACTION_REVERSE:
		return toggle(s, &s->stacks.is_reversed);
	case ACTION_COLUMNS:
		return screen__ask_columns(s);
	case ACTION_HELP:
		return help(s);
	case ACTION_QUIT:
		return -ECANCELED;
	default:
		if (steps_of(action))
			return seek(s, steps_of(action));
		move(s, action);
		screen__ask(s, action);
		return 0;
	}
}

static int input_table(struct screen *s, const struct input *in)
{
	int done = s->what == SCREEN_STACKS ? stack_page__input(&s->stacks, in) : 0;

	if (done)
		return done < 0 ? done : 0;
	switch (in->code) {
	case INPUT_CLICK:
		return click(s, in);
	case INPUT_WHEEL_UP:
		screen__move(s, -3);
		return 0;
	case INPUT_WHEEL_DOWN:
		screen__move(s, 3);
		return 0;
	}
	return act(s, keys__find(in->code));
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
