/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/viewer.h - the screen of a profile that is whole: its functions, and their stacks as a tree
 * or a flame graph, by event.
 *
 *	viewer__input()		a key
 *	viewer__draw()		what there is to see now
 *
 * Made of the pages that the live screen has (tui/screen.h). Does not know: terminals, files.
 */
#ifndef PMUTRACE_TUI_VIEWER_H
#define PMUTRACE_TUI_VIEWER_H

#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/profile.h"
#include "tui/canvas.h"
#include "tui/keys.h"

struct viewer;

struct viewer_opts {
	const struct profile *profile; /* without places; borrowed for the viewer's lifetime */
	const char *name;	       /* what is looked at: "x.pmut"; borrowed as well */
	uint32_t event;		       /* the one that is shown first */
	/*
	 * Writes what is shown to a file: @text as it is seen, @event's samples. 0 or -errno with
	 * @why, a sentence that is shown; the viewer goes on after any error but -ENOMEM.
	 */
	int (*write)(void *arg, const char *path, const struct buf *text, uint32_t event,
		     struct buf *why);
	void *arg;
};

/* 0 or -ENOMEM. */
int viewer__new(struct viewer **out, const struct viewer_opts *opts) must_check;
void viewer__free(struct viewer *v);

/* 0; -ECANCELED: the user wants to leave; -ENOMEM. */
int viewer__input(struct viewer *v, const struct input *in) must_check;

/* As screen__draw() of tui/screen.h. */
int viewer__draw(struct viewer *v, struct canvas *c) must_check;

#endif
