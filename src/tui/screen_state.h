/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/screen_state.h - what a screen remembers, for those files that it is made of, and nobody
 * else. Each uses those above it in this list:
 *
 *	screen_state	the state, the message, the filter
 *	screen_subject	the process or thread that is looked into
 *	screen_rows	rows of the view that is shown: fills, sorts and searches them
 *	screen_go	goes from one view to another
 *	screen_draw	screen__draw() of tui/screen.h
 *	screen_ask	prompts and lists to choose from, and what becomes of the answers
 *	screen		the rest of tui/screen.h: intervals, keys, clicks
 */
#ifndef PMUTRACE_TUI_SCREEN_STATE_H
#define PMUTRACE_TUI_SCREEN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/live.h"
#include "tui/canvas.h"
#include "tui/chooser.h"
#include "tui/funcs.h"
#include "tui/grid.h"
#include "tui/header.h"
#include "tui/help.h"
#include "tui/keys.h"
#include "tui/prompt.h"
#include "tui/screen.h"
#include "tui/stack_page.h"
#include "tui/view.h"

enum { TRAIL = 8, MESSAGE = 256 };

/* What takes the keys. */
enum screen_mode {
	SCREEN_TABLE, /* the view that is shown, also if it is of stacks */
	SCREEN_HELP,
	SCREEN_COLUMNS, /* a list to choose columns from */
	SCREEN_SORT,	/* a list to choose the column from that is sorted by */
	SCREEN_PROMPT,
};

/* The process or thread that is looked into, as it was when it last ran. */
struct screen_subject {
	char comm[LIVE_COMM];  /* "": not known */
	uint64_t exited_by_ns; /* end of the interval it exited in, ns since 1970; 0: it has not */
};

/* A view, what it is restricted to, and what is selected in it: to come back to it later. */
struct screen_place {
	enum screen_what what;
	bool only_tgid, only_tid, only_cgroup, only_cpu;
	uint32_t tgid, tid, cpu;
	struct screen_subject subject;
	uint64_t cgroup, selected;
	bool has_selected;
	uint64_t function; /* that is selected; as funcs.selected */
	bool has_function;
	char filter[VIEW_WORD];
};

struct screen {
	struct screen_opts opts;
	struct canvas
		*canvas; /* of the last screen__draw(): its size is that of a page in a file */
	enum screen_mode mode;
	enum screen_what what;
	struct view view; /* processes, threads, cgroups or CPUs */
	struct grid grid;
	struct funcs funcs;
	struct stack_page stacks;
	bool only_tid; /* functions and stacks are those of thread @tid */
	uint32_t tid;
	struct screen_subject subject; /* with only_tid or view.only_tgid */
	char missing[MESSAGE];	       /* why there are no rows */
	struct header header;
	struct help help;
	struct chooser chooser;
	struct prompt prompt;
	enum action asked;		  /* what the prompt is for */
	struct screen_place trail[TRAIL]; /* where Esc leads back to, the last one first */
	size_t nr_trail;
	char search[VIEW_WORD];
	char message[MESSAGE]; /* until the next key; "": none */
	bool is_alert;	       /* the message is of something that went wrong */
	bool is_paused;
	struct buf text; /* scratch */
};

/* Shows a message on the last line until the next key; @is_alert: as an error. */
void screen__tell(struct screen *s, bool is_alert, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether that view is made of samples (functions, stacks), not of counts. */
bool screen__has_samples(enum screen_what what);

/* The filter of the view that is shown, VIEW_WORD bytes: may be read and written. */
char *screen__filter(struct screen *s);

#endif
