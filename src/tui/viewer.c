// SPDX-License-Identifier: BSD-2-Clause
/* Passes keys on to functions and stacks; asks for events, texts and files. */
#include "tui/viewer.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/viewer_state.h"

static void tell(struct viewer *v, bool is_alert, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void tell(struct viewer *v, bool is_alert, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(v->message, sizeof(v->message), fmt, args);
	va_end(args);
	v->is_alert = is_alert;
}

/* Stacks are made when they are looked at: of a large profile they take longer than functions. */
static int fill_stacks(struct viewer *v)
{
	int err;

	if (v->is_filled)
		return 0;
	v->stacks.event = v->event;
	err = stack_page__fill(&v->stacks, v->opts.profile, NULL);
	v->is_filled = !err;
	return err;
}

static int fill(struct viewer *v)
{
	int err;

	v->funcs.event = v->event;
	v->is_filled = false;
	err = funcs__fill(&v->funcs, v->opts.profile, NULL);
	return err || v->what == VIEWER_FUNCTIONS ? err : fill_stacks(v);
}

static int go_to(struct viewer *v, enum viewer_what what)
{
	v->what = what;
	if (what == VIEWER_FUNCTIONS)
		return 0;
	v->stacks.shows_flame = what == VIEWER_FLAME;
	return fill_stacks(v);
}

int viewer__new(struct viewer **out, const struct viewer_opts *opts)
{
	struct viewer *v = *out = calloc(1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	v->opts = *opts;
	v->event = opts->event;
	v->funcs.missing = v->stacks.missing = v->funcs.empty = v->stacks.empty = "no samples";
	return fill(v);
}

void viewer__free(struct viewer *v)
{
	if (!v)
		return;
	funcs__free(&v->funcs);
	stack_page__free(&v->stacks);
	help__free(&v->help);
	chooser__free(&v->chooser);
	buf__free(&v->text);
	free(v);
}

static int search(struct viewer *v, bool next)
{
	bool found = true;
	int err = 0;

	if (!v->search[0])
		return 0;
	if (v->what == VIEWER_FUNCTIONS)
		found = funcs__search(&v->funcs, v->search, v->funcs.at + next);
	else
		err = stack_page__find(&v->stacks, v->search, next, &found);
	if (!err && !found)
		tell(v, true, "no row has '%s'", v->search);
	return err;
}

/* @item: of the list of events. */
static int choose_event(struct viewer *v, size_t item)
{
	const struct profile *p = v->opts.profile;

	for (uint32_t i = 0; i < p->nr_events; i++) {
		if (p->events[i].is_member || item--)
			continue;
		v->event = i;
		break;
	}
	return fill(v);
}

static int ask_event(struct viewer *v)
{
	const struct profile *p = v->opts.profile;
	int err = 0;

	if (profile__nr_sampled(p) < 2) {
		tell(v, true, "there is no other event");
		return 0;
	}
	chooser__begin(&v->chooser, "Events", false);
	for (uint32_t i = 0; i < p->nr_events && !err; i++) {
		char samples[32];

		if (p->events[i].is_member)
			continue;
		snprintf(samples, sizeof(samples), "%" PRIu64 " samples", p->events[i].samples);
		err = chooser__add(&v->chooser, &(struct chooser_item){
							.name = p->events[i].name,
							.help = samples,
							.is_chosen = i == v->event,
						});
	}
	v->mode = VIEWER_EVENTS;
	return err;
}

static int draw_page(void *viewer, struct canvas *page)
{
	return viewer__draw(viewer, page);
}

static int write_page(struct viewer *v)
{
	const struct viewer_opts *o = &v->opts;
	struct canvas *shown = v->canvas;
	struct buf why = {};
	int err;

	buf__clear(&v->text);
	err = canvas__text_of(shown, draw_page, v, &v->text);
	v->canvas = shown; /* viewer__draw() has kept the other */
	if (!err)
		err = o->write(o->arg, v->prompt.text, &v->text, v->event, &why);
	if (!err)
		tell(v, false, "written to %s", v->prompt.text);
	else if (err != -ENOMEM)
		tell(v, true, "%s", why.len ? why.data : strerror(-err));
	buf__free(&why);
	return err == -ENOMEM ? err : 0;
}

static void ask(struct viewer *v, enum action what, const char *label, const char *text)
{
	v->asked = what;
	v->mode = VIEWER_PROMPT;
	prompt__begin(&v->prompt, label, text);
}

static int filter(struct viewer *v, const char *text)
{
	_Static_assert((int)PROMPT_BYTES == (int)FUNCS_WORD, "it is copied whole");
	int err;

	memcpy(v->funcs.filter, text, strlen(text) + 1);
	err = fill(v);
	funcs__let_go(&v->funcs);
	return err;
}

static int take_answer(struct viewer *v)
{
	switch (v->asked) {
	case ACTION_SEARCH:
		memcpy(v->search, v->prompt.text, v->prompt.len + 1);
		return search(v, false);
	case ACTION_FILTER:
		return filter(v, v->prompt.text);
	case ACTION_WRITE:
		return write_page(v);
	default:
		return 0;
	}
}

static int reverse(struct viewer *v)
{
	v->stacks.is_reversed = !v->stacks.is_reversed;
	v->is_filled = false;
	return v->what == VIEWER_FUNCTIONS ? go_to(v, VIEWER_STACKS) : fill_stacks(v);
}

static int sort(struct viewer *v, bool invert)
{
	if (invert)
		v->funcs.invert = !v->funcs.invert;
	else
		v->funcs.sort = !v->funcs.sort;
	return funcs__fill(&v->funcs, v->opts.profile, NULL);
}

/* Into the stacks of the selected function. */
static int enter(struct viewer *v)
{
	const struct function *f = funcs__selected(&v->funcs);
	int err;

	if (!f)
		return 0;
	funcs__select(&v->funcs, v->funcs.at);
	err = go_to(v, v->stacks.shows_flame ? VIEWER_FLAME : VIEWER_STACKS);
	return err ? err : stack_page__open_at(&v->stacks, f->frame);
}

static int back(struct viewer *v)
{
	return v->what == VIEWER_FUNCTIONS ? filter(v, "") : go_to(v, VIEWER_FUNCTIONS);
}

static int act_on_functions(struct viewer *v, enum action action)
{
	const long all = LONG_MAX / 2, page = funcs__page(&v->funcs);

	switch (action) {
	case ACTION_UP:
	case ACTION_DOWN:
		funcs__move(&v->funcs, action == ACTION_UP ? -1 : 1);
		return 0;
	case ACTION_PAGE_UP:
	case ACTION_PAGE_DOWN:
		funcs__move(&v->funcs, action == ACTION_PAGE_UP ? -page : page);
		return 0;
	case ACTION_FIRST:
	case ACTION_LAST:
		funcs__move(&v->funcs, action == ACTION_FIRST ? -all : all);
		return 0;
	case ACTION_ENTER:
		return enter(v);
	case ACTION_SORT:
	case ACTION_SORT_LEFT:
	case ACTION_SORT_RIGHT:
	case ACTION_INVERT:
		return sort(v, action == ACTION_INVERT);
	case ACTION_FLAME:
		return go_to(v, VIEWER_FLAME);
	case ACTION_FILTER:
		ask(v, action, "Filter", v->funcs.filter);
		return 0;
	default:
		tell(v, true, "this key is not for functions");
		return 0;
	}
}

static int act(struct viewer *v, enum action action)
{
	switch (action) {
	case ACTION_NEXT_VIEW:
		return go_to(v, (v->what + 1) % VIEWER_WHATS);
	case ACTION_PREVIOUS_VIEW:
		return go_to(v, (v->what + VIEWER_WHATS - 1) % VIEWER_WHATS);
	case ACTION_BACK:
		return back(v);
	case ACTION_REVERSE:
		return reverse(v);
	case ACTION_SEARCH:
		ask(v, action, "Search", "");
		return 0;
	case ACTION_NEXT_MATCH:
		return search(v, true);
	case ACTION_EVENTS:
		return ask_event(v);
	case ACTION_WRITE:
		ask(v, action, "Write this screen to", "pmutrace.txt");
		return 0;
	case ACTION_HELP:
		v->mode = VIEWER_HELP;
		return help__begin(&v->help, NULL, viewer__has_key);
	case ACTION_QUIT:
		return -ECANCELED;
	default:
		break;
	}
	if (v->what == VIEWER_FUNCTIONS)
		return act_on_functions(v, action);
	tell(v, true, "this key is not for stacks");
	return 0;
}

static int point_at_functions(struct viewer *v, const struct input *in)
{
	enum funcs_sort by;
	size_t line;

	if (in->code == INPUT_WHEEL_UP || in->code == INPUT_WHEEL_DOWN)
		funcs__move(&v->funcs, in->code == INPUT_WHEEL_UP ? -3 : 3);
	else if (!funcs__hit(&v->funcs, in->x, in->y, &by, &line))
		return 0;
	else if (by == FUNCS_SORTS)
		funcs__select(&v->funcs, line);
	else
		return sort(v, by == v->funcs.sort);
	return 0;
}

static int input_table(struct viewer *v, const struct input *in)
{
	bool is_mouse = in->code >= INPUT_CLICK;
	int done = v->what == VIEWER_FUNCTIONS ? 0 : stack_page__input(&v->stacks, in);

	if (v->what != VIEWER_FUNCTIONS) /* the key of the flame graph may have been among them */
		v->what = v->stacks.shows_flame ? VIEWER_FLAME : VIEWER_STACKS;
	if (done || (is_mouse && v->what != VIEWER_FUNCTIONS))
		return done < 0 ? done : 0;
	if (is_mouse)
		return point_at_functions(v, in);
	return viewer__has_key(keys__find(in->code)) ? act(v, keys__find(in->code)) : 0;
}

int viewer__input(struct viewer *v, const struct input *in)
{
	int end;

	v->message[0] = '\0';
	switch (v->mode) {
	case VIEWER_HELP:
		if (!help__input(&v->help, in))
			v->mode = VIEWER_TABLE;
		return 0;
	case VIEWER_EVENTS:
		end = chooser__input(&v->chooser, in);
		if (end != CHOOSER_GOES_ON)
			v->mode = VIEWER_TABLE;
		return end == CHOOSER_DONE ? choose_event(v, v->chooser.at) : 0;
	case VIEWER_PROMPT:
		end = prompt__input(&v->prompt, in);
		if (end != PROMPT_GOES_ON)
			v->mode = VIEWER_TABLE;
		return end == PROMPT_DONE ? take_answer(v) : 0;
	case VIEWER_TABLE:
		return input_table(v, in);
	}
	return 0;
}
