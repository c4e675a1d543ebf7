/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/screen.h - the live screen: keys in, pages out.
 *
 *	screen__update()	an interval has ended
 *	screen__input()		a key
 *	screen__draw()		what there is to see now
 *
 * Knows: what is looked at and how. Does not know: terminals (tui/terminal.h), where data comes
 * from.
 */
#ifndef PMUTRACE_TUI_SCREEN_H
#define PMUTRACE_TUI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/profile.h"
#include "model/scope.h"
#include "tui/canvas.h"
#include "tui/chooser.h"
#include "tui/keys.h"
#include "tui/view.h"

struct screen;

/* What is looked at; Tab goes through those before SCREEN_VIEWS in this order. */
enum screen_what {
	SCREEN_PROCESSES,
	SCREEN_THREADS,
	SCREEN_CGROUPS,
	SCREEN_FUNCTIONS,
	SCREEN_CPUS,
	SCREEN_VIEWS,
	SCREEN_STACKS = SCREEN_VIEWS,
};

/* The screen as it was before the question for a file's name, to be written there. Borrowed. */
struct screen_page {
	enum screen_what what;
	const struct buf *text; /* as it is seen */
	/* Of tasks and CPUs: all rows that are left by filters, as they are sorted. */
	const struct view *view;
	/* Of functions and stacks: all samples in the scope; NULL: there are none. */
	const struct profile *profile;
	const struct scope *scope;
	const char *of; /* what is looked into: "process 42 web"; NULL: all that there is */
};

/*
 * What a screen cannot do itself. Each returns 0 or -errno with @why, which is shown; the screen
 * goes on in any case. NULL: the user is told that there is no such thing here.
 */
struct screen_fns {
	/*
	 * Samples for functions and stacks are wanted from now on, or not any more: then nothing
	 * of the profile is looked at after the call.
	 */
	int (*sample)(void *arg, bool wanted, struct buf *why);
	/* Adds the columns and sets to choose from; those that are shown are marked as chosen. */
	int (*list_columns)(void *arg, struct chooser *into);
	int (*choose_columns)(void *arg, const char *names, struct buf *why);
	int (*choose_events)(void *arg, const char *events, struct buf *why);
	int (*set_delay)(void *arg, uint64_t ns);
	/*
	 * Moves by so many intervals in a recording, up to either end: the data is of that one
	 * then, and what opts.data points to may have moved even on error. @why: is told, also
	 * with 0.
	 */
	int (*seek)(void *arg, long by, struct buf *why);
	int (*write)(void *arg, const char *path, const struct screen_page *page, struct buf *why);
	void *arg;
};

struct screen_opts {
	struct screen_fns fns;
	/* Borrowed as long as the screen; what is in it may change in fns and before an update. */
	const struct view_data *data;
	enum screen_what what;
	const char *sort; /* name of a column, copied; NULL: the first one */
	bool invert, full_commands;
};

/* 0 or -ENOMEM. */
int screen__new(struct screen **out, const struct screen_opts *opts) must_check;
void screen__free(struct screen *s);

/* The data is of a new interval. 0 or -ENOMEM. */
int screen__update(struct screen *s) must_check;
/* The same interval, but what data points to has moved: nothing old is read. 0 or -ENOMEM. */
int screen__refill(struct screen *s) must_check;
/* Something to tell, until the next key. */
void screen__notice(struct screen *s, const char *text);
bool screen__is_paused(const struct screen *s); /* no updates are wanted */

/* 0; -ECANCELED: the user wants to leave; -ENOMEM. */
int screen__input(struct screen *s, const struct input *in) must_check;

/* Onto a page that has begun. 0 or -ENOMEM. */
int screen__draw(struct screen *s, struct canvas *c) must_check;

#endif
