/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/help.h - what keys do and what columns mean: lines to scroll through.
 */
#ifndef PMUTRACE_TUI_HELP_H
#define PMUTRACE_TUI_HELP_H

#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"
#include "columns/columns.h"
#include "tui/canvas.h"
#include "tui/keys.h"

/* Zero-initialise it; help__free() gives the memory back. */
struct help {
	struct buf text;
	size_t nr_lines, first;
	int height; /* lines for text when it was drawn last */
};

/*
 * Writes the help, from the table of keys, those that are of use, and columns; NULL: there are
 * none, and no losses by interval. 0 or -ENOMEM.
 */
int help__begin(struct help *h, const struct columns *columns, keys_fn has) must_check;
/* False: the key leaves the help. */
bool help__input(struct help *h, const struct input *in);
void help__draw(struct help *h, struct canvas *c);
void help__free(struct help *h);

#endif
