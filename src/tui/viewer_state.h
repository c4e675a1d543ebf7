/* SPDX-License-Identifier: BSD-2-Clause */
/* tui/viewer_state.h - what the parts of tui/viewer.c share; nobody else includes it. */
#ifndef PMUTRACE_TUI_VIEWER_STATE_H
#define PMUTRACE_TUI_VIEWER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "tui/chooser.h"
#include "tui/funcs.h"
#include "tui/help.h"
#include "tui/keys.h"
#include "tui/prompt.h"
#include "tui/stack_page.h"
#include "tui/viewer.h"

enum { VIEWER_MESSAGE = 256 }; /* bytes */

/* What takes the keys. */
enum viewer_mode { VIEWER_TABLE, VIEWER_HELP, VIEWER_EVENTS, VIEWER_PROMPT };

/* In the order in which Tab leads through them. */
enum viewer_what { VIEWER_FUNCTIONS, VIEWER_STACKS, VIEWER_FLAME, VIEWER_WHATS };

struct viewer {
	struct viewer_opts opts;
	struct canvas *canvas; /* of the last viewer__draw() */
	enum viewer_mode mode;
	enum viewer_what what;
	struct funcs funcs;
	struct stack_page stacks;
	struct help help;
	struct chooser chooser;
	struct prompt prompt;
	enum action asked; /* what the prompt is for */
	uint32_t event;
	bool is_filled; /* the stacks, too */
	char search[PROMPT_BYTES];
	char message[VIEWER_MESSAGE]; /* until the next key; "": none */
	bool is_alert;
	struct buf text; /* scratch */
};

/* On any of its pages. */
bool viewer__has_key(enum action action);

#endif
