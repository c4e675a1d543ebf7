// SPDX-License-Identifier: BSD-2-Clause
/* top: the screen, its terminal and what feeds it. */
#include "cmd/top_views.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/privileges.h"
#include "cmd/cmd.h"
#include "cmd/measuring.h"
#include "cmd/results.h"
#include "cmd/top_change.h"
#include "cmd/top_samples.h"
#include "cmd/top_thrift.h"
#include "cmd/top_write.h"
#include "machine/target.h"
#include "tui/screen.h"
#include "tui/terminal.h"

static const uint64_t first_ns = 60000000; /* nobody waits a whole interval for the first rows */

struct show {
	struct top_run *run;
	struct terminal *terminal;
	struct screen *screen;
	struct canvas page;
	struct view_data data;
	struct live_filter filter;
	struct columns ipc; /* of the meters; empty: it cannot be counted */
	struct top_samples samples;
	bool shows_samples;
	struct buf held_back; /* notices, until the screen is closed */
	bool has_ended;	      /* the recording: its last interval stays */
	bool is_stale;	      /* what is shown */
};

static void hold_back(void *arg, enum log_level level, const char *text)
{
	struct show *s = arg;

	/* Without memory it is lost, like all that follows. */
	if (level == LOG_NOTICE && buf__printf(&s->held_back, "%s\n", text))
		return;
}

/* Points the data of the screen to what the run has now. */
static int look_again(struct show *s)
{
	struct top_run *r = s->run;
	const struct live_about *about = live__interval(r->live);
	struct buf why = {};
	int err = columns__choose(&s->ipc, r->defs, "ipc", about->events, about->nr_events, false,
				  &why);

	if (err)
		columns__free(&s->ipc);
	buf__free(&why);
	s->filter = livefilter__of(r->filter);
	s->data.live = r->live;
	s->data.columns = &r->columns;
	s->data.processes = r->processes;
	s->data.filter = livefilter__selects(r->filter) ? &s->filter : NULL;
	s->data.has_samples_only = top_feed__has_samples_only(r->feed);
	s->data.ipc = s->ipc.nr && !s->ipc.items->why ? s->ipc.items : NULL;
	return err == -ENOMEM ? err : 0;
}

/* For --strict: losses of the samples that are shown. */
static void note_lost_samples(struct show *s)
{
	if (s->data.profile)
		s->run->lost |= results__lost(s->data.profile);
}

static int refresh_samples(struct show *s)
{
	int err = s->samples.funcs ? top_stacks__refresh(s->samples.funcs) : 0;

	if (err || !s->samples.funcs)
		return err;
	s->data.profile = top_stacks__profile(s->samples.funcs);
	note_lost_samples(s);
	return 0;
}

/* Points the data of the screen to the interval that a replay is at, and to its samples. */
static int look_at_recorded(struct show *s, struct buf *why)
{
	struct top_run *r = s->run;
	int err = 0;

	s->data.live = r->live;
	s->data.profile = NULL;
	if (!top_feed__is_replay(r->feed))
		return 0;
	s->data.interval = top_feed__at(r->feed) + 1;
	s->data.nr_intervals = top_feed__nr(r->feed);
	if (s->shows_samples)
		err = top_samples__recorded(r, &s->data.profile, why);
	note_lost_samples(s);
	return err;
}

/* Samples first: they are a part of the interval that is recorded, and of what it cost. */
static int refresh_all(struct show *s)
{
	struct top_run *r = s->run;
	const struct profile *taken;
	int err = refresh_samples(s);

	if (!err && s->samples.funcs) {
		taken = top_stacks__interval(s->samples.funcs);
		top_feed__attach(r->feed, taken);
		if (r->top)
			top_tasks__add_own(r->top, taken->own_ns);
	}
	return err ? err : top_run__refresh(r);
}

/* What is damaged in a recording is left out: what was shown is still there. */
static int refresh(struct show *s)
{
	struct top_run *r = s->run;
	int err = refresh_all(s), look;

	if (err == -ENODATA || err == -EBADMSG) {
		s->has_ended = err == -ENODATA;
		screen__notice(s->screen,
			       s->has_ended
				       ? "this is the recording's end: [ and { go back, ^ to its "
					 "beginning"
				       : r->why.data);
		buf__clear(&r->why);
		look = look_at_recorded(s, &r->why);
		return look ? look : screen__refill(s->screen);
	}
	if (!err && top_feed__is_replay(r->feed))
		err = look_at_recorded(s, &r->why);
	if (err)
		return err;
	r->nr_shown++;
	s->data.live = r->live;
	return screen__update(s->screen);
}

static bool is_waiting(const struct show *s)
{
	return s->has_ended || screen__is_paused(s->screen);
}

/* Less is counted from here on, or more: told in the line of notices, too. */
static int heed_budget(struct show *s)
{
	struct top_run *r = s->run;
	const bool has_steps = r->has_steps;
	int err = top_thrift__heed(r, s->samples.funcs);

	if (!err && has_steps)
		screen__notice(s->screen, r->spared.data);
	return err;
}

static int feed(struct show *s)
{
	struct top_run *r = s->run;
	int err = r->top ? top_tasks__poll(r->top) : 0;

	if (!err && s->samples.funcs)
		err = top_stacks__poll(s->samples.funcs);
	if (!err)
		err = top_thrift__poll(r, s->samples.funcs);
	/* Nobody looks at an interval that could end: the one under way is counted in two ways. */
	if (!err && is_waiting(s))
		return heed_budget(s);
	if (err || top_thrift__is_paused(r) || clock__now_ns() < r->next_ns)
		return err;
	/* A whole delay from now: an interval shortened after a late one would have few rows. */
	r->next_ns = clock__now_ns() + top_thrift__delay_ns(r);
	s->is_stale = true;
	err = refresh(s);
	return err ? err : heed_budget(s);
}

static int draw(struct show *s)
{
	int err = terminal__begin(s->terminal, &s->page);

	if (!err)
		err = screen__draw(s->screen, &s->page);
	if (!err)
		terminal__show(s->terminal, &s->page);
	s->is_stale = false;
	return err;
}

static int poll_show(void *arg)
{
	struct show *s = arg;
	struct top_run *r = s->run;
	struct input in;
	int got;

	while ((got = terminal__read(s->terminal, &in)) > 0) {
		s->is_stale = true;
		got = screen__input(s->screen, &in);
		if (got)
			break;
	}
	if (got < 0)
		return got;
	got = feed(s);
	if (!got && (s->is_stale || terminal__is_stale(s->terminal)))
		got = draw(s);
	return !got && r->opts->count && r->nr_shown == r->opts->count ? -ECANCELED : got;
}

static unsigned patience_ms(void *arg)
{
	const struct show *s = arg;
	unsigned patience = 3600 * 1000, until = clock__ms_until(s->run->next_ns), nr;

	if (s->run->top)
		patience = top_tasks__patience_ms(s->run->top);
	nr = s->samples.funcs ? top_stacks__patience_ms(s->samples.funcs) : patience;
	if (nr < patience)
		patience = nr;
	if (!is_waiting(s) && !top_thrift__is_paused(s->run) && until < patience)
		patience = until;
	return top_thrift__patience_ms(s->run, patience);
}

static size_t pollfds(void *arg, struct pollfd *fds, size_t max)
{
	const struct show *s = arg;

	return terminal__pollfds(s->terminal, fds, max);
}

static int sample(void *arg, bool wanted, struct buf *why)
{
	struct show *s = arg;
	int err = 0;

	s->data.profile = NULL;
	if (!wanted && s->samples.funcs)
		top_thrift__note_end(s->run, top_stacks__own_ns(s->samples.funcs));
	if (!wanted)
		top_samples__close(&s->samples);
	else if (!s->run->top)
		err = top_samples__recorded(s->run, &s->data.profile, why);
	else
		err = top_samples__open(&s->samples, s->run, why);
	if (!err && s->samples.funcs)
		err = top_thrift__renew(s->run, s->samples.funcs);
	s->shows_samples = wanted && !err;
	note_lost_samples(s);
	return err;
}

static int list_columns(void *arg, struct chooser *into)
{
	struct show *s = arg;

	return top_change__list(s->run, into);
}

/* Looks again; if other events are counted now, their first interval is soon to end. */
static int changed(struct show *s, const struct live *before, int err)
{
	int look = look_again(s);

	if (s->run->live != before && s->run->top)
		s->run->next_ns = clock__now_ns() + first_ns;
	return look ? look : err;
}

static int choose_columns(void *arg, const char *names, struct buf *why)
{
	struct show *s = arg;
	const struct live *before = s->run->live;

	return changed(s, before, top_change__columns(s->run, names, why));
}

static int choose_events(void *arg, const char *events, struct buf *why)
{
	struct show *s = arg;
	const struct live *before = s->run->live;

	return changed(s, before, top_change__events(s->run, events, why));
}

static int set_delay(void *arg, uint64_t ns)
{
	struct show *s = arg;

	s->run->delay_ns = ns;
	s->run->next_ns = clock__now_ns() + ns;
	return 0;
}

/* Also while it is paused; if not, it goes on from there. */
static int seek(void *arg, long by, struct buf *why)
{
	struct show *s = arg;
	struct top_run *r = s->run;
	int err = top_run__seek(r, by, why), look = look_at_recorded(s, why);

	s->has_ended = false;
	r->next_ns = clock__now_ns() + r->delay_ns;
	return err ? err : look;
}

static int write_page(void *arg, const char *path, const struct screen_page *page, struct buf *why)
{
	const struct show *s = arg;

	return top_write(s->run, path, page, why);
}

static int open_show(struct show *s)
{
	struct top_run *r = s->run;
	static const enum screen_what whats[] = {
		[LIVE_PROCESSES] = SCREEN_PROCESSES,
		[LIVE_THREADS] = SCREEN_THREADS,
		[LIVE_CGROUPS] = SCREEN_CGROUPS,
		[LIVE_CPUS] = SCREEN_CPUS,
	};
	bool has_functions = top_run__wants_functions(r) || top_feed__has_samples_only(r->feed);
	const struct screen_opts opts = {
		.fns = { sample, list_columns, choose_columns, choose_events, set_delay,
			 top_feed__is_replay(r->feed) ? seek : NULL, write_page, s },
		.data = &s->data,
		.what = has_functions ? SCREEN_FUNCTIONS : whats[r->by],
		.sort = r->sort < r->columns.nr ? r->columns.items[r->sort].name : NULL,
		.invert = r->invert,
		.full_commands = r->opts->full,
	};
	int err = look_again(s);

	if (!err)
		err = look_at_recorded(s, &r->why);
	if (!err)
		err = screen__new(&s->screen, &opts);
	return err ? err
		   : terminal__open(&s->terminal, "use -b for tables without a screen", &r->why);
}

static int watch(struct show *s)
{
	const struct runloop_work work = { poll_show, patience_ms, pollfds, NULL, s };
	struct top_run *r = s->run;
	int err = r->top ? top_tasks__start(r->top) : 0;

	top_thrift__begin(r, NULL);
	if (!err)
		err = draw(s);
	r->next_ns = clock__now_ns() + (first_ns < r->delay_ns ? first_ns : r->delay_ns);
	if (!err)
		err = measure_within(r->loop, PRIVILEGES_TOP, &work);
	return err == -ECANCELED ? 0 : err;
}

static void close_show(struct show *s)
{
	terminal__close(s->terminal);
	screen__free(s->screen);
	top_samples__close(&s->samples);
	columns__free(&s->ipc);
	canvas__free(&s->page);
	log_to_stderr(s->run->opts->quiet, s->run->opts->verbose);
	for (char *rest = s->held_back.data, *line; (line = strsep(&rest, "\n"));)
		if (*line)
			complain("%s", line);
	buf__free(&s->held_back);
}

int top__screen(struct top_run *r)
{
	const struct target everything = {};
	const struct runloop_opts opts = { .target = &everything };
	struct show s = { .run = r };
	int err = runloop__open(&r->loop, &opts);

	if (!err)
		err = open_show(&s);
	if (!err) {
		log__set_sink(hold_back, &s);
		err = watch(&s);
	}
	close_show(&s);
	runloop__close(r->loop);
	r->loop = NULL;
	return err;
}
