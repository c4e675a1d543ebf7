/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/chooser.h - a list to choose one or several things from.
 */
#ifndef PMUTRACE_TUI_CHOOSER_H
#define PMUTRACE_TUI_CHOOSER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/strtab.h"
#include "tui/canvas.h"
#include "tui/keys.h"

struct chooser_item {
	const char *name, *help; /* copied by chooser__add(), as why is; help may be NULL */
	const char *why;	 /* why it cannot be used on this machine; NULL: it can */
	bool is_chosen;
	bool is_exclusive; /* to choose it unmarks all others, and the other way round */
};

enum chooser_end { CHOOSER_GOES_ON, CHOOSER_DONE, CHOOSER_CANCELLED };

/* Zero-initialise it; chooser__free() gives the memory back. */
struct chooser {
	const char *title;    /* borrowed */
	bool many;	      /* Space marks and unmarks items; else Enter chooses one */
	struct strtab *texts; /* of the items */
	struct chooser_item *items;
	size_t nr, cap;
	size_t at, first; /* the selected item, and the one on the top line */
	int y, height;	  /* where it was drawn last, for the mouse */
};

/* Begins a list without items. */
void chooser__begin(struct chooser *s, const char *title, bool many);
/* Appends an item. 0 or -ENOMEM. */
int chooser__add(struct chooser *s, const struct chooser_item *item) must_check;
/* Does what the key or the mouse stands for. */
enum chooser_end chooser__input(struct chooser *s, const struct input *in);
/* Draws it on the whole page. */
void chooser__draw(struct chooser *s, struct canvas *c);
/* Appends the names of all chosen items, separated by commas. 0 or -ENOMEM. */
int chooser__words(const struct chooser *s, struct buf *out) must_check;
void chooser__free(struct chooser *s);

#endif
