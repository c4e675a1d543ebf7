/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * columns/columns.h - what a live view shows of each row: counts, shares and ratios.
 *
 * A column is a formula (columns/formula.h) over what a row has: the names of events, of other
 * columns, and
 *
 *	time		ns on a CPU
 *	switches	context switches: times switched off a CPU
 *	tasks		number of tasks that have used something; of a CPU: not known
 *	interval	ns, the same in all rows
 *
 * A plain name is one of these, else a column, else an event; in quotes it is always an event.
 * Events are called as they were asked for. Those in one formula must be of one group, or be
 * counted all the time: a ratio of what was not counted together is no fact. Of an event that took
 * turns on a counter with others (multiplexed) the estimate is used: raw * enabled / running.
 *
 * Which columns are shown is a list of names of sets, names of columns, and formulas. What there is
 * to choose from: columns/column_defs.h.
 *
 * Knows: how a value is computed and shown. Does not know: which events there are, screens.
 */
#ifndef PMUTRACE_COLUMNS_COLUMNS_H
#define PMUTRACE_COLUMNS_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/readable.h"
#include "model/live.h"

struct column_defs;

enum column_form {
	COLUMN_COUNT,	/* 12.3M: what was counted in the interval */
	COLUMN_PERCENT, /* 12.3 */
	COLUMN_RATIO,	/* 1.23 */
	COLUMN_TIME,	/* ns, as 12.3ms */
};

/* Texts are owned by the columns, and well-formed UTF-8. */
struct column {
	const char *name;    /* as in --columns and --sort, in JSON and CSV: "ipc" */
	const char *title;   /* on the screen: "IPC" */
	const char *formula; /* as written */
	const char *help;    /* a sentence; of the user's own: NULL */
	const char *why;     /* it has no value, a sentence: an event is not counted; or NULL.
			      * Up to the next columns__explain() */
	enum column_form form;
	bool is_event;	      /* its name is an event's, and it shows what that counts */
	struct formula *does; /* private */
};

/* Zero-initialise it; columns__free() gives the memory back. */
struct columns {
	struct column *items;
	size_t nr, cap;
	struct columns_private *own;
};

/**
 * columns__choose() - the columns of a list, instead of what was there
 * @choice: "cache", "cpu,ipc,1000 * faults / switches"
 * @events: those that rows have values of, in their order, some perhaps with a reason why they are
 *	not counted; borrowed during the call
 * @spare: columns of a set that have no value here are left out, as they always are of "default"
 * @why: on -EINVAL a sentence
 *
 * Return: 0; -EINVAL: an unknown name, a wrong formula, events of several groups; -ENOMEM.
 */
int columns__choose(struct columns *c, const struct column_defs *defs, const char *choice,
		    const struct live_event *events, size_t nr, bool spare,
		    struct buf *why) must_check;

/* Adds a column for the event, unless there is one that shows it as it is. 0 or -ENOMEM. */
int columns__add_event(struct columns *c, const struct live_event *events, size_t event) must_check;

/*
 * Adds one by its name or formula, unless it is there: *index. As columns__choose().
 */
int columns__add(struct columns *c, const struct column_defs *defs, const char *name,
		 const struct live_event *events, size_t nr, size_t *index,
		 struct buf *why) must_check;

/*
 * Appends what stands for the column in a choice: its name; in quotes where that is of an event and
 * would be a formula. 0 or -ENOMEM.
 */
int column__word(const struct column *c, struct buf *out) must_check;

/* Index of the column; -1: there is none. */
int columns__find(const struct columns *c, const char *name);

/* Rows have to tell how many tasks they are of. */
bool columns__need_tasks(const struct columns *c);

/* After each interval: sets why. 0 or -ENOMEM. */
int columns__explain(struct columns *c, const struct live_about *about) must_check;

/* NAN: unknown, to be shown as "-": divided by 0, an event that is not counted, an empty share. */
double column__value(const struct column *c, const struct live_about *about,
		     const struct live_row *row);

/*
 * For how much of the interval its events were counted: 1 all of it; 0 not at all. Of several
 * events the least.
 */
double column__share(const struct column *c, const struct live_about *about);

/* As people read it: "12.3M", "99.7", "-". */
void column__text(const struct column *c, double value, char text[READABLE_CHARS]);

/* By a column, largest first, unknown last, then by id. @invert: smallest first, unknown last. */
void columns__sort(const struct column *by, const struct live_about *about, struct live_rows *rows,
		   bool invert);

void columns__free(struct columns *c);

#endif
