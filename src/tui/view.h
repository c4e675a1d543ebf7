/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/view.h - which rows of an interval are shown, in which order, and which of them is selected.
 *
 * The selection is the row's id: it stays on its process over intervals and sort orders. While an
 * interval does not have that row nothing is selected: it comes back with it, unless another was
 * chosen meanwhile.
 *
 * Pure: no terminal, no drawing.
 */
#ifndef PMUTRACE_TUI_VIEW_H
#define PMUTRACE_TUI_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/idmap.h"
#include "columns/columns.h"
#include "model/live.h"
#include "model/processes.h"
#include "model/profile.h"

enum { VIEW_WORD = 256, VIEW_DEPTH = 32 };

/* The ids of the tagged rows of one kind. */
struct view_tags {
	uint64_t *ids;
	size_t nr, cap;
};

/* The data of the interval that is shown; all borrowed. */
struct view_data {
	const struct live *live;
	const struct columns *columns;
	const struct processes *processes; /* NULL: nothing is known of them */
	const struct live_filter *filter;  /* the tasks that were asked for; NULL: all */
	const struct column *ipc;	   /* for meters; NULL: cannot be counted here */
	const struct profile *profile;	   /* samples; NULL: none are taken */
	size_t interval, nr_intervals;	   /* of a recording, from 1; nr_intervals 0: live */
	bool has_samples_only;		   /* nothing was counted: functions and stacks alone */
};

struct view_line {
	uint32_t row;	/* of the view's rows */
	uint32_t depth; /* in a tree; 0: a root */
	uint32_t rails; /* bit d: at depth d a vertical line leads to siblings further down */
	bool is_last;	/* of its parent's children */
	/* In a tree: */
	uint32_t sum;	   /* of its branch; index into the view's sums */
	uint32_t nr_below; /* processes in its branch, without itself */
	bool is_folded;	   /* those below are not shown */
};

/* Zero-initialise it; view__free() gives the memory back. */
struct view {
	enum live_by by;
	/* Only threads of that process, only tasks of that cgroup, only what ran on that CPU. */
	bool only_tgid, only_cgroup, only_cpu;
	uint32_t tgid, cpu;
	uint64_t cgroup;

	char *sort; /* view__sort_by() */
	bool invert, tree, full_commands;
	bool hides_kernel; /* kernel threads are left out */
	char filter[VIEW_WORD], user[VIEW_WORD];

	struct live_rows rows;
	struct view_line *lines; /* what is shown */
	size_t nr, cap;
	struct live_rows sums; /* of a tree's branches */
	struct idmap folds;    /* of a tree: pid -> whether its branch is folded */
	uint32_t deepest;      /* depth of the deepest line of a tree */
	size_t at;	       /* line of the selected row, or where it was; < nr, or 0 */
	uint64_t selected;     /* its id */
	bool has_selected;     /* false: whatever is on line @at is selected */
	struct view_tags tags[LIVE_CPUS + 1]; /* by enum live_by */
};

/* Makes the rows and lines of that data, and finds the selected row among them. 0 or -ENOMEM. */
int view__fill(struct view *v, const struct view_data *d) must_check;
void view__free(struct view *v);

/* Whether a process passes the filters view.user and view.hides_kernel. */
bool view__wants_process(const struct view *v, const struct view_data *d, uint32_t tgid);

const struct live_row *view__row(const struct view *v, size_t line);
/* NULL: there is none, or the one that was selected is not there now. */
const struct live_row *view__selected(const struct view *v);

/*
 * Rows are sorted by that column from the next fill on; its name may be as long as a formula. By id
 * if there is no such column, and before the first call. 0 or -ENOMEM.
 */
int view__sort_by(struct view *v, const char *column) must_check;
bool view__is_sorted_by(const struct view *v, const char *column);

/*
 * Folds the branch of the selected row into one line, with its sum, or unfolds it, from the next
 * fill on. Where there is nothing to fold its parent gets selected instead. 0 or -ENOMEM.
 */
int view__fold(struct view *v, bool fold) must_check;
bool view__is_tree(const struct view *v, const struct view_data *d);
/* The values that a line shows: those of its row, or of its whole branch if that is folded. */
const struct live_row *view__used(const struct view *v, const struct view_line *line);

/* Selects the line so many further down, or the nearest that there is. */
void view__move(struct view *v, long lines);
void view__select(struct view *v, size_t line);
/* If this interval does not have the selected row, selects the one in its place instead. */
void view__let_go(struct view *v);

/* Selects the next line from @from on (then from the top) that contains @word. False: none does. */
bool view__search(struct view *v, const struct view_data *d, const char *word, size_t from);

/*
 * Selects a row that contains @word and is folded away in a tree, and unfolds the branches that it
 * is in. *found: there was one. 0 or -ENOMEM.
 */
int view__reveal(struct view *v, const struct view_data *d, const char *word,
		 bool *found) must_check;

/* Tags or untags a row of the kind that is shown. 0 or -ENOMEM. */
int view__toggle_tag(struct view *v, uint64_t id) must_check;
bool view__is_tagged(const struct view *v, uint64_t id);
void view__untag_all(struct view *v); /* of all kinds */

/* What is known of a row's process; NULL: nothing, or it has none. */
const struct process *view__process(const struct view *v, const struct view_data *d,
				    const struct live_row *row);
/* The name to show: the command line, the comm, or the cgroup's name. "": it has none. */
const char *view__name(const struct view *v, const struct view_data *d, const struct live_row *row);

#endif
