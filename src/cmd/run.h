/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/run.h - a run that makes a profile in the kernel: options, files, the command behind "--",
 * intervals, progress, names, losses and the exit status of `profile`, `count` and `func`.
 *
 * Life: begin - open_outputs - prepare - (the command's collector) - measure - write - status -
 * free. What to measure is the command's own, and planned in between.
 */
#ifndef PMUTRACE_CMD_RUN_H
#define PMUTRACE_CMD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/intervals.h"
#include "base/opt.h"
#include "cmd/call_graph_opts.h"
#include "cmd/cmd.h"
#include "cmd/outputs.h"
#include "cmd/targets.h"
#include "collect/collector.h"
#include "run/command.h"
#include "run/overhead.h"
#include "run/runloop.h"

/* The member `run` of a command's options. `profile` has a part of them. */
struct run_opts {
	struct target_opts target;
	uint32_t max_stack, keys, max_probes, top, rows;
	struct call_graph_opts call_graph;
	uint64_t interval_ns, window_ns, max_memory;
	bool no_demangle, no_inline, lines, no_symbols, java_maps, debuginfod;
	uint64_t duration_ns;
	struct opt_strs files;
	const char *format, *event, *title;
	const char *pprof, *color;
	bool own_cost, no_places, json, csv, all_events, reverse, icicle, strict, quiet, verbose;
};

/* Rows of a command's table of options; @type: the struct of them. */
/* clang-format off */
#define RUN_OUTPUT_OPTIONS(type, formats, of_rows, of_event) \
	{ OPT_HEAD, .help = "Output" }, \
	{ OPT_STRS, 'o', "output", "FILE", offsetof(type, run.files), \
	  "write here, format by ending; '-': stdout" }, \
	{ OPT_STR, 'f', "format", "FMT", offsetof(type, run.format), formats }, \
	{ OPT_BOOL, 0, "json", NULL, offsetof(type, run.json), "-f json" }, \
	{ OPT_BOOL, 0, "csv", NULL, offsetof(type, run.csv), "-f csv" }, \
	{ OPT_MOST, 0, "rows", "N", offsetof(type, run.rows), of_rows }, \
	{ OPT_STR, 0, "event", "NAME", offsetof(type, run.event), of_event }, \
	{ OPT_BOOL, 0, "all-events", NULL, offsetof(type, run.all_events), \
	  "folded: stacks with a count of each event" }, \
	{ OPT_BOOL, 0, "reverse", NULL, offsetof(type, run.reverse), \
	  "svg: merge from the innermost frame" }, \
	{ OPT_BOOL, 0, "icicle", NULL, offsetof(type, run.icicle), "svg: the root on top" }, \
	{ OPT_STR, 0, "pprof", "KIND", offsetof(type, run.pprof), \
	  "all, or cpu: as Go's compiler takes it (all)" }, \
	{ OPT_BOOL, 0, "no-places", NULL, offsetof(type, run.no_places), \
	  "pmut, pprof: functions without their addresses and lines" }, \
	{ OPT_STR, 0, "title", "TEXT", offsetof(type, run.title), "headline, or the file's name" }, \
	{ OPT_BOOL, 0, "strict", NULL, offsetof(type, run.strict), \
	  "exit 3 if anything was lost or multiplexed" }, \
	{ OPT_BOOL, 'q', "quiet", NULL, offsetof(type, run.quiet), "no notices" }, \
	{ OPT_BOOL, 'v', "verbose", NULL, offsetof(type, run.verbose), "what happens inside" }

/* Of commands that show samples of a group. */
#define COLOR_OPTION(type) \
	{ OPT_STR, 0, "color", "RATIO", offsetof(type, run.color), \
	  "svg: frames by a ratio of events of one group: ipc" }

/* Of commands that name user frames. */
#define NAME_OPTIONS(type) \
	{ OPT_BOOL, 0, "no-inline", NULL, offsetof(type, run.no_inline), \
	  "leave inlined functions to those they are in" }, \
	{ OPT_BOOL, 0, "lines", NULL, offsetof(type, run.lines), \
	  "file and line behind functions: main (a.c:12)" }, \
	{ OPT_BOOL, 0, "no-symbols", NULL, offsetof(type, run.no_symbols), \
	  "pmut, pprof: addresses, for report --resolve" }, \
	{ OPT_BOOL, 0, "java-maps", NULL, offsetof(type, run.java_maps), \
	  "have JVMs write maps of their code at the end" }, \
	{ OPT_BOOL, 0, "debuginfod", NULL, offsetof(type, run.debuginfod), \
	  "ask the servers in DEBUGINFOD_URLS for debug files" }

/* Of commands that count hits of probes. */
#define COUNTING_ROOM_OPTIONS(type) \
	{ OPT_HEAD, .help = "Room" }, \
	{ OPT_U32, 0, "max-probes", "N", offsetof(type, run.max_probes), \
	  "functions that a pattern stands for (1000)" }, \
	CALL_GRAPH_OPTIONS(type, run.call_graph), \
	{ OPT_U32, 0, "max-stack", "N", offsetof(type, run.max_stack), \
	  "frames kept, kernel and user each (127)" }, \
	{ OPT_U32, 0, "keys", "N", offsetof(type, run.keys), \
	  "distinct keys per probe and CPU (2048)" }, \
	{ OPT_COUNT, 0, "max-memory", "SIZE", offsetof(type, run.max_memory), \
	  "for the result: what is new beyond is lost (1G)" }, \
	{ OPT_BOOL, 0, "no-demangle", NULL, offsetof(type, run.no_demangle), \
	  "C++, Rust, D, OCaml names as linkers know them" }, \
	NAME_OPTIONS(type)
#define COUNTING_LENGTH_OPTIONS(type) \
	{ OPT_HEAD, .help = "Length (default: until Ctrl-C or the target's end)" }, \
	{ OPT_TIME, 0, "duration", "SECS", offsetof(type, run.duration_ns), \
	  "or as the last word" }, \
	{ OPT_MSEC, 'I', "interval", "MS", offsetof(type, run.interval_ns), \
	  "print every MS milliseconds" }, \
	{ OPT_U32, 0, "top", "N", offsetof(type, run.top), \
	  "the N biggest, again and again (every second)" }
#define COUNTING_OUTPUT_OPTIONS(type) \
	RUN_OUTPUT_OPTIONS(type, "json jsonl csv svg html folded pprof chrome firefox speedscope", \
			   "lines of the table, or all (40)", \
			   "which probe folded, svg, firefox, chrome show"), \
	{ OPT_BOOL, 0, "own-cost", NULL, offsetof(type, run.own_cost), \
	  "CPU time of the BPF programs, in JSON and at the end" }
#define COUNTING_DEFAULTS { .max_probes = 1000, .rows = 40, .max_stack = 127 }
/* clang-format on */

/* Zero but for the first part; run__free() it in any case. */
struct run {
	/* Set by the command. */
	struct run_opts *opts;
	const char *name; /* of the command */
	const char *noun; /* what is counted: "hit" */
	bool captures;	  /* results can be kept as a capture */
	bool is_viewed;	  /* --tui: from there, too */
	bool weights;	  /* a sample stands for so many events: JSON and CSV tell */
	void (*announce)(const struct run *r); /* what is measured, once that is so */
	int (*write_table)(const struct run *r, FILE *f, const struct profile *p);
	/*
	 * What becomes of an interval, in place of outputs, of which there are none then; the
	 * profile is its own, for profile__free(). NULL: outputs. 0 or -errno with r->why.
	 */
	int (*take_interval)(struct run *r, struct profile *p);
	/* With a budget: some of it was taken back or given up, to be heeded. 0 or -errno. */
	int (*spare)(struct run *r);
	void *arg;		   /* the command's own */
	const uint64_t *net;	   /* collector__subtract(); NULL: nothing */
	struct overhead *overhead; /* --max-overhead; NULL: what it costs does not matter */
	struct collector *collector;
	bool lost;	     /* for --strict: something was */
	bool is_told_to_end; /* by SIGTERM or SIGHUP: nothing is shown that waits for keys */

	struct jail *jail;	       /* borrowed; NULL: there is none */
	struct lookup_reader *lookups; /* borrowed; until it measures */
	struct java_maps *java;	       /* NULL: not asked for */
	struct debuginfod *debuginfod; /* NULL: not asked for */
	struct target target;
	struct call_graph call_graph;
	struct outputs outputs;
	struct command *command;
	struct runloop *loop;
	struct buf why;
	uint64_t duration_ns, interval_ns, window_ns, start_ns, at_ns;
	struct intervals intervals;
	unsigned nr_written; /* intervals */
	uint32_t event;	     /* the one that folded and svg show */
	bool pprof_cpu;	     /* --pprof=cpu */
	const char *format;  /* of -f and the like */
	bool progress_shown;
};

/* -EINVAL, or -ENOMEM. */
int run__usage(struct run *r, const char *text) must_check;

/*
 * Checks the options: length, formats, targets. *nr_words: how many words there are, without a
 * length at their end; the first @least of them are never taken for one. NULL: all words are the
 * length. To be called with one thread. 0 or -errno with r->why.
 */
int run__begin(struct run *r, const struct cmd_words *words, size_t least,
	       size_t *nr_words) must_check;

/*
 * How user frames are found, r->call_graph, if @by has them: it has none after --call-graph none.
 * @force: --force. 0 or -errno with r->why.
 */
int run__choose_call_graph(struct run *r, bool force, unsigned *by) must_check;

/* Opens the files. 0 or -errno with r->why. */
int run__open_outputs(struct run *r) must_check;

/*
 * Checks that they can show what is measured, and prepares the command behind "--". @names:
 * results__choose_event(); @folds: folded stacks can be made of it. 0 or -errno with r->why.
 */
int run__prepare(struct run *r, const struct cmd_words *words, const char *const *names, size_t nr,
		 size_t stride, bool folds) must_check;

/* What all collectors are told. The rest is the command's. */
struct collector_opts run__collector_opts(const struct run *r);

/* The command that is the target; 0: there is none, or it only says how long. */
pid_t run__command_pid(const struct run *r);

/* Says for how long, in words: "until Ctrl-C". */
void run__length(const struct run *r, char text[64]);

/* A notice if programs' functions have no names here. */
void run__tell_no_names(void);

/* How many lines a table has: --top, else --rows. */
unsigned run__rows(const struct run *r);

/* From the collector's start to its end. 0 or -errno with r->why. */
int run__measure(struct run *r) must_check;

/* Writes the results, or after intervals their end, and notices about them. 0: all arrived. */
int run__write(struct run *r) must_check;

/*
 * Waits for the command's end. The exit status; @failed: of run__write(), and --strict comes before
 * the command's own.
 */
int run__status(struct run *r, int failed);

/*
 * --tui, after run__status(): shows the result on the terminal until the user leaves. 0 or -errno
 * with r->why.
 */
int run__view(struct run *r) must_check;

/* Its options too. */
void run__free(struct run *r);

#endif
