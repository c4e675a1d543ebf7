/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/keyline.h - the last line of the screen: the keys that are of use now, with a word for each.
 *
 *	F1Help +Unfold -Fold F2Columns F3Search F4Filter F5Tree F6Sort qQuit
 *
 * The help comes first and the way out last, whatever else has room.
 */
#ifndef PMUTRACE_TUI_KEYLINE_H
#define PMUTRACE_TUI_KEYLINE_H

#include "tui/canvas.h"

/* Bits: states with keys of their own, named beside those that have a word in tui/keys.h. */
enum keyline_state {
	KEYLINE_REPLAY = 1 << 0,
	KEYLINE_TREE = 1 << 1,
};

void keyline__draw(struct canvas *c, int y, unsigned states);

#endif
