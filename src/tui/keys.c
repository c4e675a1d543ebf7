// SPDX-License-Identifier: BSD-2-Clause
/* The table of keys: what each does, its help, its word on the last line. */
#include "tui/keys.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"

#define F(n) (INPUT_F1 + (n)-1)

static const struct key keys[] = {
	{ ACTION_UP, { INPUT_UP, 'k' }, "the row above", NULL },
	{ ACTION_DOWN, { INPUT_DOWN, 'j' }, "the row below", NULL },
	{ ACTION_PAGE_UP, { INPUT_PAGE_UP }, "a page up", NULL },
	{ ACTION_PAGE_DOWN, { INPUT_PAGE_DOWN }, "a page down", NULL },
	{ ACTION_FIRST, { INPUT_HOME, 'g' }, "the first row", NULL },
	{ ACTION_LAST, { INPUT_END, 'G' }, "the last row", NULL },
	{ ACTION_LEFT, { INPUT_LEFT }, "columns further left; fold a stack", NULL },
	{ ACTION_RIGHT, { INPUT_RIGHT }, "columns further right; unfold a stack", NULL },
	{ ACTION_ENTER, { INPUT_ENTER }, "into the row: its threads, functions, stacks", NULL },
	{ ACTION_BACK, { INPUT_ESC }, "back out; or end filter and tags", NULL },
	{ ACTION_NEXT_VIEW, { INPUT_TAB, 'v' }, "the next view", NULL },
	{ ACTION_PREVIOUS_VIEW, { INPUT_BACKTAB, 'V' }, "the view before", NULL },
	{ ACTION_THREADS, { 'H' }, "threads, or processes again", NULL },
	{ ACTION_HELP, { F(1), 'h', '?' }, "this help", "Help" },
	{ ACTION_COLUMNS, { F(2) }, "choose columns", "Columns" },
	{ ACTION_SEARCH, { F(3), '/' }, "go to the row or function with a text", "Search" },
	{ ACTION_NEXT_MATCH, { 'n' }, "the next one with it", NULL },
	{ ACTION_FILTER, { F(4), '\\' }, "show only rows with a text", "Filter" },
	{ ACTION_TREE, { F(5), 't' }, "processes below their parents", "Tree" },
	{ ACTION_SORT, { F(6) }, "choose what to sort by", "Sort" },
	{ ACTION_SORT_LEFT, { '<' }, "sort by the column to the left", NULL },
	{ ACTION_SORT_RIGHT, { '>' }, "sort by the column to the right", NULL },
	{ ACTION_INVERT, { 'I' }, "the other way round", NULL },
	{ ACTION_USER, { 'u' }, "only one user's processes, functions and stacks", NULL },
	{ ACTION_KERNEL, { 'K' }, "the kernel's threads and their samples: show, hide", NULL },
	{ ACTION_COMMAND, { 'p' }, "commands with their arguments, or names", NULL },
	{ ACTION_FLAME, { 'f' }, "stacks as a tree, or as a flame graph", NULL },
	{ ACTION_REVERSE, { 'r' }, "stacks from the innermost function on: who calls it", NULL },
	{ ACTION_UNFOLD, { '+', '*' }, "unfold the branch of a tree, all of a stack", NULL },
	{ ACTION_FOLD, { '-' }, "fold the branch of a tree, all stacks", NULL },
	{ ACTION_TAG, { ' ' }, "tag the row", NULL },
	{ ACTION_UNTAG, { 'U' }, "untag all", NULL },
	{ ACTION_PAUSE, { 'Z', 'z' }, "pause, go on", NULL },
	{ ACTION_EARLIER, { '[' }, "of a recording: the interval before", NULL },
	{ ACTION_LATER, { ']' }, "the next one", NULL },
	{ ACTION_MUCH_EARLIER, { '{' }, "10 intervals back", NULL },
	{ ACTION_MUCH_LATER, { '}' }, "10 intervals on", NULL },
	{ ACTION_EARLIEST, { '^' }, "the first interval", NULL },
	{ ACTION_LATEST, { '$' }, "the last interval", NULL },
	{ ACTION_DELAY, { 'd' }, "time from one interval to the next", NULL },
	{ ACTION_EVENTS, { 'E' }, "other events", NULL },
	{ ACTION_WRITE, { 'W' }, "into a file: .txt .csv .json; samples: .svg .folded", NULL },
	{ ACTION_QUIT, { 'q', F(10) }, "quit", "Quit" },
};

#undef F

const struct key *keys__all(size_t *nr)
{
	*nr = ARRAY_SIZE(keys);
	return keys;
}

enum action keys__find(uint32_t code)
{
	for (size_t i = 0; code && i < ARRAY_SIZE(keys); i++)
		for (size_t k = 0; k < KEY_CODES; k++)
			if (keys[i].codes[k] == code)
				return keys[i].action;
	return ACTION_NONE;
}

const struct key *keys__of(enum action action)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(keys) && keys[i].action != action)
		i++;
	return &keys[i];
}

void key__name(uint32_t code, char name[KEY_NAME])
{
	static const struct {
		uint32_t code;
		const char *name;
	} names[] = {
		{ ' ', "Space" },
		{ INPUT_TAB, "Tab" },
		{ INPUT_ENTER, "Enter" },
		{ INPUT_ESC, "Esc" },
		{ INPUT_UP, "Up" },
		{ INPUT_DOWN, "Down" },
		{ INPUT_LEFT, "Left" },
		{ INPUT_RIGHT, "Right" },
		{ INPUT_PAGE_UP, "PgUp" },
		{ INPUT_PAGE_DOWN, "PgDn" },
		{ INPUT_HOME, "Home" },
		{ INPUT_END, "End" },
		{ INPUT_BACKTAB, "Shift-Tab" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].code == code) {
			strcpy(name, names[i].name);
			return;
		}
	if (code >= INPUT_F1 && code <= INPUT_F12)
		snprintf(name, KEY_NAME, "F%u", code - INPUT_F1 + 1);
	else
		snprintf(name, KEY_NAME, "%c", (char)code);
}
