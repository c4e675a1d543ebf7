/* SPDX-License-Identifier: BSD-2-Clause */
/* tui/screen_parts.h - the screen's own state, shared by screen*.c alone. */
#ifndef PMUTRACE_TUI_SCREEN_PARTS_H
#define PMUTRACE_TUI_SCREEN_PARTS_H

#include "tui/chooser.h"
#include "tui/funcs.h"
#include "tui/grid.h"
#include "tui/header.h"
#include "tui/help.h"
#include "tui/keyline.h"
#include "tui/prompt.h"
#include "tui/screen.h"
#include "tui/stack_page.h"

enum { TRAIL = 8, MESSAGE = 256 };

enum screen_mode {
	SCREEN_TABLE,
	SCREEN_HELP,
	SCREEN_COLUMNS, /* choosing them */
	SCREEN_SORT,
	SCREEN_PROMPT,
};

/* The process or thread that is looked into, as it is known from when it was last there. */
struct screen_subject {
	char comm[LIVE_COMM];  /* "": not known */
	uint64_t exited_by_ns; /* end of the interval in which it did, ns since 1970; 0: it has not
				*/
};

/* Where one is, or came from. */
struct screen_place {
	enum screen_what what;
	bool only_tgid, only_tid, only_cgroup, only_cpu;
	uint32_t tgid, tid, cpu;
	struct screen_subject subject;
	uint64_t cgroup, selected;
	bool has_selected;
	uint64_t function; /* that was selected */
	bool has_function;
	char filter[VIEW_WORD];
};

struct screen {
	struct screen_opts opts;
	struct canvas *canvas; /* that was drawn last: to be written to a file */
	enum screen_mode mode;
	enum screen_what what;
	struct view view; /* of a table of tasks or CPUs */
	struct grid grid;
	struct funcs funcs;
	struct stack_page stacks;
	bool only_tid; /* functions and stacks of that thread */
	uint32_t tid;
	struct screen_subject subject; /* of only_tgid and only_tid */
	char missing[MESSAGE];	       /* why there are no rows */
	struct header header;
	struct help help;
	struct chooser chooser;
	struct prompt prompt;
	enum action asked; /* what the prompt is for */
	struct screen_place trail[TRAIL];
	size_t nr_trail;
	char search[VIEW_WORD];
	char message[MESSAGE]; /* until the next key */
	bool is_alert;	       /* the message is of something that went wrong */
	bool is_paused;
	struct buf text; /* scratch */
};

/* screen_state.c */

/* A message on the last line until the next key; @is_alert: in red. */
void screen__tell(struct screen *s, bool is_alert, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool screen__has_samples(enum screen_what what); /* functions and stacks */
/* The text that filters what is shown: VIEW_WORD bytes, to be read or set. */
char *screen__filter(struct screen *s);

/*
 * What is shown, whatever it is: rows of tasks and CPUs, functions, or stacks (screen_rows.c). It
 * is filled again by screen__refill() of tui/screen.h.
 */

/* Samples of the tasks that a table would show; valid until what is looked at changes. */
struct scope screen__scope(const struct screen *s);
void screen__move(struct screen *s, long lines);
bool screen__has_selected(struct screen *s); /* if it is gone for now, that is told */
/* A filter has changed: if it leaves the selected row out, another one gets selected. */
int screen__choose(struct screen *s) must_check;
/* Selects the next row that has s->search in it; @next: behind the one selected. */
int screen__search(struct screen *s, bool next) must_check;
/* By that column of the table, by that one of functions, or by the one so many further. */
int screen__sort_by(struct screen *s, size_t column) must_check;
int screen__sort_functions(struct screen *s, enum funcs_sort sort) must_check;
int screen__sort_beside(struct screen *s, int step) must_check;
int screen__invert(struct screen *s) must_check;

/* From one view into another (screen_go.c). */
int screen__go_to(struct screen *s, enum screen_what what) must_check; /* all there is */
int screen__step_view(struct screen *s, int step) must_check;
int screen__enter(struct screen *s) must_check;
int screen__back(struct screen *s) must_check;

/*
 * The process or thread that is looked into (screen_subject.c). It is that of the row that is
 * entered, and is looked for in each interval that comes, also for the views on the way back. Its
 * name is "process 42 web"; why there are no rows is valid until the next call.
 */
void screen__begin_subject(struct screen_place *p, const struct live *l,
			   const struct live_row *row);
void screen__follow_subjects(struct screen *s);
void screen__name_subject(const struct screen *s, char *text, size_t size);
const char *screen__missing(struct screen *s, const char *otherwise);

/*
 * Questions (screen_ask.c): on the last line, or a list to choose from. While one is open keys go
 * to screen__answer().
 */
void screen__ask(struct screen *s, enum action action);
int screen__choose_sort(struct screen *s) must_check; /* functions: the other one of two */
int screen__choose_columns(struct screen *s) must_check;
int screen__answer(struct screen *s, const struct input *in) must_check;

#endif
