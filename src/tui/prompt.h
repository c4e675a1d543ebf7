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

void prompt__begin(struct prompt *p, const char *label, const char *text);
/* Backspace takes the last character, Ctrl-U all; what does not fit is not taken. */
enum prompt_end prompt__input(struct prompt *p, const struct input *in);
/* With the cursor at its end; of a longer text that end is shown. */
void prompt__draw(const struct prompt *p, struct canvas *c, int y);

#endif
