// SPDX-License-Identifier: BSD-2-Clause
/* Opens prompts and lists, and does what the answers ask for. */
#include "tui/screen_ask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/parse.h"
#include "tui/screen_rows.h"
#include "tui/screen_subject.h"

static const uint64_t delay_min_ns = 50000000;

/* After one of struct screen_fns has returned @err: shows why it failed, fills the rows again. */
static int settle(struct screen *s, int err, const struct buf *why)
{
	if (err == -ENOMEM)
		return err;
	if (err)
		screen__tell(s, true, "%s", why->len ? why->data : strerror(-err));
	return screen__refill(s);
}

/*
 * Ends a pause if other events are counted now: there is no interval of them yet to show.
 * @before: opts.data->live before the change.
 */
static void end_pause(struct screen *s, const struct live *before)
{
	if (!s->is_paused || s->opts.data->live == before)
		return;
	s->is_paused = false;
	screen__tell(s, false, "other events are counted now: the pause is over");
}

int screen__ask_sort(struct screen *s)
{
	const struct columns *all = s->opts.data->columns;
	int err = 0;

	if (s->what == SCREEN_FUNCTIONS)
		return screen__sort_functions(s, !s->funcs.sort);
	chooser__begin(&s->chooser, "Sort by", false);
	for (size_t i = 0; i < all->nr && !err; i++) {
		const struct column *c = &all->items[i];

		err = chooser__add(&s->chooser,
				   &(struct chooser_item){
					   .name = c->name,
					   .help = c->help ? c->help : c->formula,
					   .why = c->why,
					   .is_chosen = view__is_sorted_by(&s->view, c->name),
				   });
	}
	s->mode = SCREEN_SORT;
	return err;
}

int screen__ask_columns(struct screen *s)
{
	const struct screen_fns *fns = &s->opts.fns;

	if (!fns->list_columns || !fns->choose_columns) {
		screen__tell(s, true, "there are no other columns");
		return 0;
	}
	chooser__begin(&s->chooser, "Columns", true);
	s->mode = SCREEN_COLUMNS;
	return fns->list_columns(fns->arg, &s->chooser);
}

static int take_chosen(struct screen *s)
{
	const struct screen_fns *fns = &s->opts.fns;
	const struct live *before = s->opts.data->live;
	enum screen_mode mode = s->mode;
	struct buf why = {};
	int err;

	s->mode = SCREEN_TABLE;
	if (mode == SCREEN_SORT)
		return screen__sort_by(s, s->chooser.at);
	buf__clear(&s->text);
	err = chooser__words(&s->chooser, &s->text);
	if (!err && s->text.len)
		err = fns->choose_columns(fns->arg, s->text.data, &why);
	end_pause(s, before);
	err = settle(s, err, &why);
	buf__free(&why);
	return err;
}

static int set_delay(struct screen *s)
{
	uint64_t ns;

	if (parse__time(s->prompt.text, 1000000000, &ns) || ns < delay_min_ns)
		screen__tell(s, true, "'%s' is no time of 0.05 s or more", s->prompt.text);
	else if (s->opts.fns.set_delay)
		return s->opts.fns.set_delay(s->opts.fns.arg, ns);
	return 0;
}

static int choose_events(struct screen *s, struct buf *why)
{
	const struct screen_fns *fns = &s->opts.fns;
	const struct live *before = s->opts.data->live;
	int err;

	if (!fns->choose_events)
		return buf__puts(why, "other events cannot be had here") ? -ENOMEM : -EINVAL;
	err = fns->choose_events(fns->arg, s->prompt.text, why);
	end_pause(s, before);
	return err;
}

static int draw_page(void *screen, struct canvas *page)
{
	return screen__draw(screen, page);
}

/* Draws the page as it was before the prompt, as text into s->text. */
static int draw_text(struct screen *s)
{
	struct canvas *shown = s->canvas;
	int err;

	buf__clear(&s->text);
	err = canvas__text_of(shown, draw_page, s, &s->text);
	s->canvas = shown; /* screen__draw() has kept the other */
	return err;
}

static int write_page(struct screen *s, struct buf *why)
{
	const struct screen_fns *fns = &s->opts.fns;
	const struct scope scope = screen__scope(s);
	char of[64];
	const struct screen_page page = {
		.what = s->what,
		.text = &s->text,
		.view = &s->view,
		.profile = s->opts.data->profile,
		.scope = &scope,
		.of = s->only_tid || s->view.only_tgid ? of : NULL,
	};
	int err = draw_text(s);

	screen__name_subject(s, of, sizeof(of));
	if (!err)
		err = fns->write ? fns->write(fns->arg, s->prompt.text, &page, why) : -ENOSYS;
	if (!err)
		screen__tell(s, false, "written to %s", s->prompt.text);
	return err;
}

static int take_answer(struct screen *s)
{
	const char *text = s->prompt.text;
	struct buf why = {};
	int err = 0;

	switch (s->asked) {
	case ACTION_SEARCH:
		memcpy(s->search, text, s->prompt.len + 1);
		return screen__search(s, false);
	case ACTION_FILTER:
		memcpy(screen__filter(s), text, s->prompt.len + 1);
		return screen__refilter(s);
	case ACTION_USER:
		memcpy(s->view.user, text, s->prompt.len + 1);
		return screen__refilter(s);
	case ACTION_DELAY:
		return set_delay(s);
	case ACTION_EVENTS:
		err = choose_events(s, &why);
		break;
	case ACTION_WRITE:
		err = write_page(s, &why);
		break;
	default:
		break;
	}
	err = settle(s, err, &why);
	buf__free(&why);
	return err;
}

static void ask(struct screen *s, enum action what, const char *label, const char *text)
{
	s->asked = what;
	s->mode = SCREEN_PROMPT;
	prompt__begin(&s->prompt, label, text);
}

static void ask_path(struct screen *s)
{
	time_t at = live__interval(s->opts.data->live)->at_ns / 1000000000;
	char path[64] = "pmutrace-top.txt";
	struct tm local;

	if (at && localtime_r(&at, &local))
		strftime(path, sizeof(path), "pmutrace-top-%Y%m%d-%H%M%S.txt", &local);
	ask(s, ACTION_WRITE, "Write this screen to", path);
}

void screen__ask(struct screen *s, enum action action)
{
	switch (action) {
	case ACTION_SEARCH:
		ask(s, action, "Search", "");
		break;
	case ACTION_FILTER:
		ask(s, action, "Filter", screen__filter(s));
		break;
	case ACTION_USER:
		ask(s, action, "User", s->view.user);
		break;
	case ACTION_DELAY:
		ask(s, action, "Seconds from one interval to the next", "");
		break;
	case ACTION_EVENTS:
		ask(s, action, "Events", "");
		break;
	case ACTION_WRITE:
		ask_path(s);
		break;
	default:
		break;
	}
}

static int input_prompt(struct screen *s, const struct input *in)
{
	enum prompt_end end = prompt__input(&s->prompt, in);

	if (end != PROMPT_GOES_ON)
		s->mode = SCREEN_TABLE;
	return end == PROMPT_DONE ? take_answer(s) : 0;
}

static int input_chooser(struct screen *s, const struct input *in)
{
	enum chooser_end end = chooser__input(&s->chooser, in);

	if (end == CHOOSER_DONE)
		return take_chosen(s);
	if (end == CHOOSER_CANCELLED)
		s->mode = SCREEN_TABLE;
	return 0;
}

int screen__answer(struct screen *s, const struct input *in)
{
	return s->mode == SCREEN_PROMPT ? input_prompt(s, in) : input_chooser(s, in);
}
