/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/top.h - what the parts of `pmutrace top` share: options, setup and intervals (top.c), what is
 * counted and shown (top_columns.c), printing one interval after the other (top_batch.c), the
 * screen (top_screen.c).
 */
#ifndef PMUTRACE_CMD_TOP_H
#define PMUTRACE_CMD_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/opt.h"
#include "cmd/events.h"
#include "cmd/outputs.h"
#include "cmd/targets.h"
#include "cmd/top_filter.h"
#include "columns/column_defs.h"
#include "columns/columns.h"
#include "event/event.h"
#include "live/top_tasks.h"
#include "live/top_feed.h"
#include "model/live.h"
#include "run/runloop.h"

struct top_opts {
	struct opt_strs events, files;
	struct target_opts targets; /* pids, tids, cgroups, user and comm; the rest stays 0 */
	const char *by, *sort, *columns, *config, *format, *record, *replay;
	uint64_t hz; /* of samples */
	uint64_t delay_ns;
	uint32_t count, rows;
	bool batch, reverse, full, json, csv, strict, quiet, verbose;
};

/* All but the last part is there before the first interval. */
struct top_run {
	const struct top_opts *opts;
	/* -e and -F: of functions if these are asked for, else -e is what is counted. */
	struct event_opts sampled_by;
	struct opt_strs counted;
	struct outputs outputs;
	struct perf_events events;
	struct perf_events sampled;	   /* what a screen samples: top_samples__choose() */
	struct top_tasks *top;		   /* NULL: of a replay */
	struct top_feed *feed;		   /* where intervals come from */
	const struct processes *processes; /* names */
	struct livefilter *filter;	   /* of tasks */
	struct buf why;

	/* What is shown: may change from one interval to the next. */
	struct column_defs *defs; /* what there is to choose from */
	struct columns columns;	  /* top_run__choose() */
	const char *sort_by;	  /* as asked for, or NULL */
	size_t sort;		  /* index of a column */
	bool invert;
	enum live_by by;
	bool batch;	   /* no screen */
	bool events_asked; /* the screen was asked for these events: each has a column */
	uint64_t delay_ns;

	struct runloop *loop;	 /* of batch mode */
	const struct live *live; /* the last interval; before the first only its events are known */
	struct live_rows rows;	 /* of it, by view, sorted */
	struct profile *samples; /* of a recording, of some tasks: top_samples__recorded() */
	uint64_t interval_ns;	 /* how long it was */
	uint64_t next_ns;	 /* when the next one is due, on base/clock.h */
	uint32_t nr_shown;
	bool lost; /* something was, or was not counted all the time */
};

/* The next interval into the model, and its rows. As top_feed__refresh(). */
int top_run__refresh(struct top_run *r) must_check;

/* Another interval of a replay instead. As top_feed__seek(). */
int top_run__seek(struct top_run *r, long by, struct buf *why) must_check;

/* Sets r->next_ns one delay on; if that is over already, one delay from now. */
void top_run__go_on(struct top_run *r);

/* -n intervals have been shown. */
bool top_run__has_all(const struct top_run *r);

/* The rows of the same interval again: what is shown, or their order, has changed. */
int top_run__arrange(struct top_run *r) must_check;

/*
 * What is to be counted, -e or what the columns need: r->defs and r->events. 0 or -errno with
 * r->why.
 */
int top_run__plan(struct top_run *r) must_check;

/*
 * The columns of a choice (columns/column_defs.h), NULL: of --columns, as far as their events are
 * counted. Then those of the events of -e, and the order. 0 or -errno with r->why: what there was
 * stays.
 */
int top_run__choose(struct top_run *r, const char *choice) must_check;

/* What is counted does not depend on the columns: -e, events of the screen, recordings. */
bool top_run__counts_stay(const struct top_run *r);

/* The events that a choice needs, added to @out. 0 or -errno with r->why. */
int top_run__events_of(struct top_run *r, const char *choice, struct perf_events *out) must_check;

/*
 * Calls @show_next for each interval of a recording, as fast as it can, up to -n. What is damaged
 * is left out, and told at the end. 0 or -errno with r->why.
 */
int top__replay(struct top_run *r, int (*show_next)(void *arg), void *arg) must_check;

/* Prints each interval, up to -n or a signal. 0 or -errno with r->why. */
int top__batch(struct top_run *r) must_check;

/* A screen for as long as the user looks at it, up to -n. 0 or -errno with r->why. */
int top__screen(struct top_run *r) must_check;

#endif
