/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/prompt.h - one line of text that is typed on the screen's last line.
 */
#ifndef PMUTRACE_TUI_PROMPT_H
#define PMUTRACE_TUI_PROMPT_H

#include <stddef.h>

#include "tui/canvas.h"
#include "tui/keys.h"

enum { PROMPT_BYTES = 256 };

enum prompt_end {
	PROMPT_GOES_ON,
	PROMPT_DONE,	  /* Enter */
	PROMPT_CANCELLED, /* Esc */
};

struct prompt {
	const char *label; /* borrowed */
	char text[PROMPT_BYTES];
	size_t len; /* bytes */
};

/* Asks "LABEL: ", with @text as the answer to edit; it is copied, and cut to PROMPT_BYTES. */
void prompt__begin(struct prompt *p, const char *label, const char *text);
/*
 * Appends the character that was typed, if it fits; Backspace removes the last one, Ctrl-U all.
 */
enum prompt_end prompt__input(struct prompt *p, const struct input *in);
/* Draws it on line @y, the cursor behind the text. If that does not fit, its end is shown. */
void prompt__draw(const struct prompt *p, struct canvas *c, int y);

#endif
