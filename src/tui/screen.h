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

/* The views. Tab goes through those before SCREEN_VIEWS, in this order. */
enum screen_what {
	SCREEN_PROCESSES,
	SCREEN_THREADS,
	SCREEN_CGROUPS,
	SCREEN_FUNCTIONS,
	SCREEN_CPUS,
	SCREEN_VIEWS,
	SCREEN_STACKS = SCREEN_VIEWS,
};

/* What to write to a file: the screen as it was before it asked for the name. Borrowed. */
struct screen_page {
	enum screen_what what;
	const struct buf *text; /* the page as it was shown */
	/* Of tasks and CPUs: all rows that pass the filters, sorted. */
	const struct view *view;
	/* Of functions and stacks: all samples in the scope; NULL: there are none. */
	const struct profile *profile;
	const struct scope *scope;
	const char *of; /* the process or thread that it is of: "process 42 web"; NULL: all */
};

/*
 * Callbacks for what a screen cannot do itself. Each returns 0 or -errno with @why, a sentence that
 * is shown; the screen goes on after any error but -ENOMEM. NULL: the user is told that this is not
 * possible here.
 */
struct screen_fns {
	/*
	 * Starts or stops taking samples for functions and stacks. After it is stopped, the
	 * profile is not read any more.
	 */
	int (*sample)(void *arg, bool wanted, struct buf *why);
	/* Adds the columns, and sets of columns, to choose from; marks those that are shown. */
	int (*list_columns)(void *arg, struct chooser *into);
	int (*choose_columns)(void *arg, const char *names, struct buf *why);
	int (*choose_events)(void *arg, const char *events, struct buf *why);
	int (*set_delay)(void *arg, uint64_t ns);
	/*
	 * Moves by so many intervals in a recording, but not beyond its ends. opts.data is then
	 * of the new one; what it points to may have moved even on error. A text in @why is
	 * shown also if this returns 0.
	 */
	int (*seek)(void *arg, long by, struct buf *why);
	int (*write)(void *arg, const char *path, const struct screen_page *page, struct buf *why);
	void *arg;
};

struct screen_opts {
	struct screen_fns fns;
	/* Borrowed for the screen's lifetime; may change in fns and before an update. */
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
/* What data points to has moved, in the same interval: forgets the former. 0 or -ENOMEM. */
int screen__refill(struct screen *s) must_check;
/* Shows a message until the next key, as an error; copied. */
void screen__notice(struct screen *s, const char *text);
bool screen__is_paused(const struct screen *s); /* no updates are wanted */

/* 0; -ECANCELED: the user wants to leave; -ENOMEM. */
int screen__input(struct screen *s, const struct input *in) must_check;

/*
 * Draws on a page that canvas__begin() has made. It is borrowed until the next call, since a page
 * that is written to a file gets its size. 0 or -ENOMEM.
 */
int screen__draw(struct screen *s, struct canvas *c) must_check;

#endif
