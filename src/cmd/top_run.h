/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/top_run.h - what all parts of `pmutrace top` share: the options, the run, its intervals.
 *
 * top.c opens a run and chooses a view of top_views.h, which shows one interval after the other.
 * What is counted, and which columns there are, is in top_columns.h.
 */
#ifndef PMUTRACE_CMD_TOP_RUN_H
#define PMUTRACE_CMD_TOP_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/opt.h"
#include "cmd/call_graph_opts.h"
#include "cmd/events.h"
#include "cmd/outputs.h"
#include "cmd/targets.h"
#include "columns/column_defs.h"
#include "columns/columns.h"
#include "event/event.h"
#include "live/top_tasks.h"
#include "live/top_feed.h"
#include "model/live.h"
#include "model/livefilter.h"
#include "run/runloop.h"

struct top_command_opts {
	struct opt_strs events, files;
	struct target_opts targets; /* pids, tids, cgroups, user and comm; the rest stays 0 */
	const char *by, *sort, *columns, *config, *format, *record, *replay, *max_overhead;
	uint64_t hz;			   /* of samples */
	struct call_graph_opts call_graph; /* of theirs */
	uint64_t delay_ns;
	uint32_t count, rows;
	bool no_inline, batch, reverse, full, json, csv, strict, quiet, verbose, debuginfod;
};

/* All but the last part is there before the first interval. */
struct top_run {
	const struct top_command_opts *opts;
	struct jail *jail;	       /* borrowed; NULL: there is none */
	struct lookup_reader *lookups; /* borrowed */
	struct debuginfod *debuginfod; /* for functions; NULL: not asked for */
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
	struct columns columns;	  /* top_columns__choose() */
	const char *sort_by;	  /* as asked for, or NULL */
	size_t sort;		  /* index of a column */
	bool invert;
	enum live_by by;
	bool batch;	   /* no screen */
	bool events_asked; /* the screen was asked for these events: each has a column */
	uint64_t delay_ns;

	struct overhead *overhead; /* --max-overhead, see top_thrift.h; NULL: not given */
	uint64_t own_before_ns;	   /* of BPF programs that are closed */
	bool has_steps;		   /* to be heeded at the end of this interval */
	bool is_paused;
	struct buf spared; /* what the last steps have left, as a sentence */

	struct runloop *loop;	 /* of batch mode */
	const struct live *live; /* the last interval; before the first only its events are known */
	struct live_rows rows;	 /* of it, by view, sorted */
	struct profile *samples; /* of a recording, of some tasks: top_samples__recorded() */
	uint64_t interval_ns;	 /* how long it was */
	uint64_t next_ns;	 /* when the next one is due, on base/clock.h */
	uint32_t nr_shown;
	bool lost; /* something was, or was not counted all the time */
};

/* --by function: samples instead of counts. */
bool top_run__wants_functions(const struct top_run *r);

/* The next interval into the model, and its rows. As top_feed__refresh(). */
int top_run__refresh(struct top_run *r) must_check;

/* Another interval of a replay instead. As top_feed__seek(). */
int top_run__seek(struct top_run *r, long by, struct buf *why) must_check;

/* Sets r->next_ns one delay on; if that is over already, one delay from now. */
void top_run__go_on(struct top_run *r);

/* The next interval is the last one of -n. */
bool top_run__is_at_last(const struct top_run *r);

/* -n intervals have been shown. */
bool top_run__has_all(const struct top_run *r);

/*
 * Calls @show_next for each interval of a recording, as fast as it can, up to -n. What is damaged
 * is left out, and told at the end. 0 or -errno with r->why.
 */
int top_run__replay(struct top_run *r, int (*show_next)(void *arg), void *arg) must_check;

#endif
