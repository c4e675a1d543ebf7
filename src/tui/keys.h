/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/keys.h - which key does what: the only place where a key exists. The help is made of it.
 */
#ifndef PMUTRACE_TUI_KEYS_H
#define PMUTRACE_TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys that type a character have its code point; all others come after the last code point. */
enum input_code {
	INPUT_NONE,
	INPUT_TAB = 9,
	INPUT_ENTER = 10,
	INPUT_ESC = 27,
	INPUT_BACKSPACE = 127,
	INPUT_FIRST = 0x110000,
	INPUT_UP = INPUT_FIRST,
	INPUT_DOWN,
	INPUT_LEFT,
	INPUT_RIGHT,
	INPUT_PAGE_UP,
	INPUT_PAGE_DOWN,
	INPUT_HOME,
	INPUT_END,
	INPUT_BACKTAB,
	INPUT_DELETE,
	INPUT_F1,
	INPUT_F12 = INPUT_F1 + 11,
	INPUT_CLICK,
	INPUT_WHEEL_UP,
	INPUT_WHEEL_DOWN,
};

struct input {
	uint32_t code;
	int x, y; /* of the mouse */
};

enum action {
	ACTION_NONE,
	ACTION_UP,
	ACTION_DOWN,
	ACTION_PAGE_UP,
	ACTION_PAGE_DOWN,
	ACTION_FIRST,
	ACTION_LAST,
	ACTION_LEFT,
	ACTION_RIGHT,
	ACTION_ENTER,
	ACTION_BACK,
	ACTION_NEXT_VIEW,
	ACTION_PREVIOUS_VIEW,
	ACTION_THREADS,
	ACTION_TREE,
	ACTION_FLAME,
	ACTION_REVERSE,
	ACTION_FOLD,
	ACTION_UNFOLD,
	ACTION_SORT,
	ACTION_SORT_LEFT,
	ACTION_SORT_RIGHT,
	ACTION_INVERT,
	ACTION_SEARCH,
	ACTION_NEXT_MATCH,
	ACTION_FILTER,
	ACTION_USER,
	ACTION_KERNEL,
	ACTION_COMMAND,
	ACTION_TAG,
	ACTION_UNTAG,
	ACTION_PAUSE,
	ACTION_EARLIER,
	ACTION_LATER,
	ACTION_MUCH_EARLIER,
	ACTION_MUCH_LATER,
	ACTION_EARLIEST,
	ACTION_LATEST,
	ACTION_DELAY,
	ACTION_EVENTS,
	ACTION_COLUMNS,
	ACTION_WRITE,
	ACTION_HELP,
	ACTION_QUIT,
};

enum { KEY_CODES = 4 };

struct key {
	enum action action;
	uint32_t codes[KEY_CODES]; /* 0: no more */
	const char *help;	   /* what it does */
	const char *word;	   /* for it on the last line; NULL: the key is not there */
};

const struct key *keys__all(size_t *nr);
enum action keys__find(uint32_t code);
const struct key *keys__of(enum action action); /* each action has one */

/* Whether an action means anything where keys are pressed. NULL: all of them do. */
typedef bool (*keys_fn)(enum action action);

enum { KEY_NAME = 12 };
/* The name of a key: "F1", "PgUp", "Space", "q". */
void key__name(uint32_t code, char name[KEY_NAME]);

#endif
