/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * columns/column_defs.h - which columns and sets of columns there are: those built in, and those of
 * a file of the user's.
 *
 *	# comment, also behind a blank
 *	ipc = instructions / cycles	a column: its name and formula (columns/formula.h)
 *	[mine]				a set: columns and events in their order, on any number
 *	cpu ipc page-faults		of lines, with blanks between them
 *	events = {cycles,instructions}	what the set counts without -e; without this line what its
 *					columns need, those of a formula in a group
 *
 * Names are plain names of formulas. A column or set of the user's takes the place of one built in.
 *
 * A choice is a list "SET,COLUMN,FORMULA" with commas (those in parentheses and quotes are part of
 * what is there). A word of a set is a column, or an event as it stands there.
 *
 * Knows: names, what they stand for, the file's grammar. Does not know: where the file is, which
 * events this machine has.
 */
#ifndef PMUTRACE_COLUMNS_COLUMN_DEFS_H
#define PMUTRACE_COLUMNS_COLUMN_DEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "columns/columns.h"
#include "columns/formula.h"

/* Texts live as long as the definitions. */
struct column_def {
	const char *name, *title, *formula;
	const char *help; /* NULL: the user's */
	enum column_form form;
	unsigned line; /* of the file, 0: built in */
};

struct column_set {
	const char *name;
	const char *help;   /* NULL: the user's */
	const char *events; /* NULL: what its columns need */
	const char **words;
	size_t nr, cap;
	unsigned line; /* of the file, 0: built in */
};

struct column_defs;

/* With what is built in. NULL: no memory. */
struct column_defs *column_defs__new(void);
void column_defs__free(struct column_defs *d);

/**
 * column_defs__read() - add what a file defines
 * @file: its name, for @why
 * @text: all of it; need not end with a NUL
 * @why: on -EINVAL "FILE:LINE: sentence"
 *
 * Return: 0; -EINVAL; -ENOMEM. May be called once.
 */
int column_defs__read(struct column_defs *d, const char *file, const char *text, size_t len,
		      struct buf *why) must_check;

/* From now on the set "default" is that of software events, unless it is the user's. */
void column_defs__set_no_pmu(struct column_defs *d);

/*
 * Says of a name that is neither a column nor an event with values, why: nobody knows it, or it is
 * not counted. Appends a sentence. 0 or -ENOMEM.
 */
typedef int column_missing_fn(void *arg, const char *name, struct buf *why);

/* Sets who explains that. Without it the sentence is that there is none, with the nearest names. */
void column_defs__on_missing(struct column_defs *d, column_missing_fn *fn, void *arg);
/* Appends that sentence. 0 or -ENOMEM. @set, @events, @nr: as column_defs__suggest(). */
int column_defs__missing(const struct column_defs *d, const char *name, bool set,
			 const struct live_event *events, size_t nr, struct buf *why) must_check;

/* NULL: there is none, or no i-th. The user's are in front of those built in. */
const struct column_def *column_defs__column(const struct column_defs *d, const char *name);
const struct column_set *column_defs__set(const struct column_defs *d, const char *name);
const struct column_def *column_defs__column_at(const struct column_defs *d, size_t i);
const struct column_set *column_defs__set_at(const struct column_defs *d, size_t i);

/*
 * Appends the names that may have been meant, or that there are, as suggest_or_list(): of columns,
 * of sets if a @set would do, of events. 0 or -ENOMEM.
 */
int column_defs__suggest(const struct column_defs *d, const char *name, bool set,
			 const struct live_event *events, size_t nr, struct buf *why) must_check;

/* One of the columns of a choice. */
struct column_choice {
	const struct column_set *set; /* that it is of; NULL: asked for by itself */
	const struct column_def *def; /* NULL: a formula, or an event */
	const char *text;	      /* its name, the formula, the event; good during the call */
	bool is_event;
};

/* Calls @each for all of them; other than 0 ends it and is returned. -EINVAL: with @why. */
int column_defs__each(const struct column_defs *d, const char *choice,
		      int (*each)(void *arg, const struct column_choice *c, struct buf *why),
		      void *arg, struct buf *why) must_check;

/* What formulas may speak of beside events; events are from COLUMN_EVENTS on. */
enum column_value {
	COLUMN_OF_TIME,
	COLUMN_OF_SWITCHES,
	COLUMN_OF_TASKS,
	COLUMN_OF_INTERVAL,
	COLUMN_EVENTS
};

/* Puts the value of an event. As formula_names.put. */
typedef int column_event_fn(void *arg, struct formula *f, const char *event, struct buf *why);

/* Its formula, with columns in it replaced by theirs. As formula__parse(). */
int column_defs__compile(const struct column_defs *d, const struct column_choice *c,
			 column_event_fn *event, void *arg, struct formula *f,
			 struct buf *why) must_check;

/**
 * column_defs__events() - the events that a choice needs, as -e takes them
 * @look: *turns: the event may be multiplexed, so that those of one formula have to be a group;
 *	asked once for each. 0; -EINVAL: there is no such event, with a sentence
 * @out: "{cycles,instructions},page-faults"; "": none
 *
 * Return: 0; -EINVAL with @why; -ENOMEM.
 */
int column_defs__events(const struct column_defs *d, const char *choice,
			int (*look)(void *arg, const char *event, bool *turns, struct buf *why),
			void *arg, struct buf *out, struct buf *why) must_check;

#endif
