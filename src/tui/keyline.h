/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/keyline.h - the last line of a screen: what it asks or has to say, or else the keys that are
 * of use now, with a word for each.
 *
 *	F1Help +Unfold -Fold F2Columns F3Search F4Filter F5Tree F6Sort qQuit
 *
 * The help comes first and the way out last, whatever else has room.
 */
#ifndef PMUTRACE_TUI_KEYLINE_H
#define PMUTRACE_TUI_KEYLINE_H

#include <stdbool.h>

#include "tui/canvas.h"
#include "tui/keys.h"
#include "tui/prompt.h"

/* Bits: states with keys of their own, named beside those that have a word in tui/keys.h. */
enum keyline_state {
	KEYLINE_REPLAY = 1 << 0,
	KEYLINE_TREE = 1 << 1,
	KEYLINE_STACKS = 1 << 2,
};

struct lastline {
	const struct prompt *prompt; /* what is asked; NULL: nothing is */
	const char *message;	     /* "": the keys instead */
	bool is_alert;		     /* the message is of something that went wrong */
	unsigned states;
	keys_fn has; /* the keys that are of use at all; of the others none is named */
};

void lastline__draw(struct canvas *c, int y, const struct lastline *l);

#endif
