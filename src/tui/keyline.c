// SPDX-License-Identifier: BSD-2-Clause
/* Which keys the last line names in which state, as far as they have room. */
#include "tui/keyline.h"

#include <stddef.h>
#include <string.h>

#include "base/array.h"

static const struct {
	enum keyline_state state;
	enum action action;
	const char *word;
} of_states[] = {
	{ KEYLINE_REPLAY, ACTION_EARLIER, "Back" },
	{ KEYLINE_REPLAY, ACTION_LATER, "On" },
	{ KEYLINE_REPLAY, ACTION_MUCH_EARLIER, "10Back" },
	{ KEYLINE_REPLAY, ACTION_MUCH_LATER, "10On" },
	{ KEYLINE_REPLAY, ACTION_EARLIEST, "First" },
	{ KEYLINE_REPLAY, ACTION_LATEST, "Last" },
	{ KEYLINE_REPLAY, ACTION_PAUSE, "Pause" },
	{ KEYLINE_TREE, ACTION_UNFOLD, "Unfold" },
	{ KEYLINE_TREE, ACTION_FOLD, "Fold" },
	{ KEYLINE_STACKS, ACTION_FLAME, "Flame" },
	{ KEYLINE_STACKS, ACTION_REVERSE, "Callers" },
};

struct keyline {
	struct canvas *c;
	int x, y, end; /* keys that do not fit before column @end are left out */
};

static int width_of(const struct key *key, const char *word)
{
	char name[KEY_NAME];

	key__name(key->codes[0], name);
	return (int)(strlen(name) + strlen(word));
}

/* Puts a key with its word, and a blank after them. */
static void put(struct keyline *l, const struct key *key, const char *word)
{
	struct canvas *c = l->c;
	int width = width_of(key, word), x = l->x;
	char name[KEY_NAME];

	if (x + width > l->end)
		return;
	key__name(key->codes[0], name);
	x += canvas__put(c, x, l->y, l->end - x, STYLE_STRONG, name);
	canvas__put(c, x, l->y, l->end - x, STYLE_KEY, word);
	l->x += width + 1;
}

static void draw_keys(struct canvas *c, int y, unsigned states, keys_fn has)
{
	const struct key *help = keys__of(ACTION_HELP), *quit = keys__of(ACTION_QUIT), *all;
	struct keyline l = { .c = c, .y = y, .end = c->width };
	size_t nr;

	put(&l, help, help->word);
	l.end -= width_of(quit, quit->word) + 1;
	for (size_t i = 0; i < ARRAY_SIZE(of_states); i++)
		if (states & of_states[i].state)
			put(&l, keys__of(of_states[i].action), of_states[i].word);
	all = keys__all(&nr);
	for (size_t i = 0; i < nr; i++)
		if (all[i].word && &all[i] != help && &all[i] != quit &&
		    (!has || has(all[i].action)))
			put(&l, &all[i], all[i].word);
	l.end = c->width;
	put(&l, quit, quit->word);
}

void lastline__draw(struct canvas *c, int y, const struct lastline *l)
{
	/* Tables draw at least two lines: on a tiny page one of them is here. */
	for (int x = 0; x < c->width; x++)
		canvas__put(c, x, y, 1, STYLE_PLAIN, " ");
	if (l->prompt)
		prompt__draw(l->prompt, c, y);
	else if (l->message[0])
		canvas__put(c, 0, y, c->width, l->is_alert ? STYLE_ALERT : STYLE_STRONG,
			    l->message);
	else
		draw_keys(c, y, l->states, l->has);
}
