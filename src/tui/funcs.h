/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/funcs.h - the functions of a sampled profile as a table: where time is spent now.
 *
 * The selection stays on its function, by name, module and kind, from one interval to the next.
 * While an interval does not have it nothing is selected.
 */
#ifndef PMUTRACE_TUI_FUNCS_H
#define PMUTRACE_TUI_FUNCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/functions.h"
#include "model/profile.h"
#include "model/scope.h"
#include "tui/canvas.h"

enum { FUNCS_WORD = 256 };

enum funcs_sort { FUNCS_SELF, FUNCS_TOTAL, FUNCS_SORTS };

/* Zero-initialise it; funcs__free() gives the memory back. */
struct funcs {
	enum funcs_sort sort;
	bool invert;
	uint32_t event;		 /* index into the profile's events */
	char filter[FUNCS_WORD]; /* part of a name or a module; "": all */

	const struct profile *profile; /* borrowed */
	/* Shown instead of rows: without a profile, or without samples in it; borrowed. */
	const char *missing, *empty;
	struct functions *all;
	const struct function **lines; /* those that the filter leaves, sorted */
	size_t nr, cap;
	size_t at, first;  /* the selected line, and the one on top of the page */
	uint64_t selected; /* treepath__frame_key() */
	bool has_selected; /* false: whatever is on line @at is selected */
	int y, height;	   /* where it was drawn last, for the mouse */
};

/*
 * Fills the table with the functions of an event of @p, which is borrowed until the next call.
 * NULL: there is no profile. 0 or -errno.
 */
int funcs__fill(struct funcs *f, const struct profile *p, const struct scope *scope) must_check;
void funcs__free(struct funcs *f);

/* NULL: there is none, or the one that was selected is not there now. */
const struct function *funcs__selected(const struct funcs *f);
/* Selects that line, or the last one. */
void funcs__select(struct funcs *f, size_t line);
/* If this interval does not have the selected function, selects the one in its place. */
void funcs__let_go(struct funcs *f);
/* Selects the line so many further down, or the nearest that there is. */
void funcs__move(struct funcs *f, long lines);
/* Selects the next line from @from on (then from the top) that contains @word. False: none does. */
bool funcs__search(struct funcs *f, const char *word, size_t from);
/* How many rows fit on the page, at least 1. */
size_t funcs__page(const struct funcs *f);

void funcs__draw(struct funcs *f, struct canvas *c, int y, int height);

/*
 * What is at column @x of line @y. True: a title to sort by (*sort), or a row (*line) and *sort is
 * FUNCS_SORTS. False: neither.
 */
bool funcs__hit(const struct funcs *f, int x, int y, enum funcs_sort *sort, size_t *line);

#endif
