/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/counting_run.h - a run that counts in the kernel by key: options, intervals, progress, report
 * of `count` and `func`.
 *
 * Life: begin - (the command's plan) - outputs - (its collector) - measure - report - free.
 */
#ifndef PMUTRACE_CMD_COUNTING_RUN_H
#define PMUTRACE_CMD_COUNTING_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/intervals.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/outputs.h"
#include "cmd/targets.h"
#include "collect/collector.h"
#include "run/command.h"
#include "run/runloop.h"

/* A member of a command's options; its rows in the table come from COUNTING_*_OPTIONS. */
struct counting_opts {
	struct target_opts target;
	uint32_t max_stack, keys, max_probes, top, rows;
	uint64_t interval_ns, max_memory;
	bool no_demangle;
	uint64_t duration_ns;
	struct opt_strs files;
	const char *format, *event, *title;
	bool json, csv, reverse, icicle, strict, quiet, verbose;
};

#define COUNTING_DEFAULTS                                                                          \
	{                                                                                          \
		.max_probes = 1000, .rows = 40, .max_stack = 127                                   \
	}

#define COUNTING_AT(type, member, field)                                                           \
	(offsetof(type, member) + offsetof(struct counting_opts, field))

/* clang-format off */
#define COUNTING_TARGET_OPTIONS(type, member) TARGET_OPTIONS(type, member.target)
#define COUNTING_ROOM_OPTIONS(type, member) \
	{ OPT_HEAD, .help = "Room" }, \
	{ OPT_U32, 0, "max-probes", "N", COUNTING_AT(type, member, max_probes), \
	  "functions that a pattern stands for (1000)" }, \
	{ OPT_U32, 0, "max-stack", "N", COUNTING_AT(type, member, max_stack), \
	  "frames kept, kernel and user each (127)" }, \
	{ OPT_U32, 0, "keys", "N", COUNTING_AT(type, member, keys), \
	  "distinct keys per probe and CPU (2048)" }, \
	{ OPT_COUNT, 0, "max-memory", "SIZE", COUNTING_AT(type, member, max_memory), \
	  "for the result: what is new beyond is lost (1G)" }, \
	{ OPT_BOOL, 0, "no-demangle", NULL, COUNTING_AT(type, member, no_demangle), \
	  "C++, Rust, D names as linkers know them" }
#define COUNTING_LENGTH_OPTIONS(type, member) \
	{ OPT_HEAD, .help = "Length (default: until Ctrl-C or the target's end)" }, \
	{ OPT_TIME, 0, "duration", "SECS", COUNTING_AT(type, member, duration_ns), \
	  "or as the last word" }, \
	{ OPT_MSEC, 'I', "interval", "MS", COUNTING_AT(type, member, interval_ns), \
	  "print every MS milliseconds" }, \
	{ OPT_U32, 0, "top", "N", COUNTING_AT(type, member, top), \
	  "the N biggest, again and again (every second)" }
#define COUNTING_OUTPUT_OPTIONS(type, member) \
	{ OPT_HEAD, .help = "Output" }, \
	{ OPT_STRS, 'o', "output", "FILE", COUNTING_AT(type, member, files), \
	  "write here, format by ending; '-': stdout" }, \
	{ OPT_STR, 'f', "format", "FMT", COUNTING_AT(type, member, format), \
	  "table, json, csv, folded or svg" }, \
	{ OPT_BOOL, 0, "json", NULL, COUNTING_AT(type, member, json), "-f json" }, \
	{ OPT_BOOL, 0, "csv", NULL, COUNTING_AT(type, member, csv), "-f csv" }, \
	{ OPT_MOST, 0, "rows", "N", COUNTING_AT(type, member, rows), "lines of the table, or all (40)" }, \
	{ OPT_STR, 0, "event", "NAME", COUNTING_AT(type, member, event), \
	  "which probe folded and svg show" }, \
	{ OPT_BOOL, 0, "reverse", NULL, COUNTING_AT(type, member, reverse), \
	  "svg: merge from the innermost frame" }, \
	{ OPT_BOOL, 0, "icicle", NULL, COUNTING_AT(type, member, icicle), \
	  "svg: the root on top" }, \
	{ OPT_STR, 0, "title", "TEXT", COUNTING_AT(type, member, title), "svg: headline" }, \
	{ OPT_BOOL, 0, "strict", NULL, COUNTING_AT(type, member, strict), \
	  "exit 3 if anything was lost or multiplexed" }, \
	{ OPT_BOOL, 'q', "quiet", NULL, COUNTING_AT(type, member, quiet), "no notices" }, \
	{ OPT_BOOL, 'v', "verbose", NULL, COUNTING_AT(type, member, verbose), \
	  "what happens inside" }
/* clang-format on */

/* Zero but for the first part; counting_run__free() it in any case. */
struct counting_run {
	/* Set by the command. */
	const struct counting_opts *opts;
	const char *name; /* of the command */
	const char *noun; /* what is counted: "hit" */
	int (*write_table)(const struct counting_run *r, FILE *f, const struct profile *p);
	void *arg;	     /* the command's own */
	const uint64_t *net; /* collector__subtract(); NULL: nothing */
	struct collector *collector;

	struct target target;
	struct outputs outputs;
	struct command *command;
	struct runloop *loop;
	struct buf why;
	uint64_t duration_ns, interval_ns, start_ns, at_ns;
	struct intervals intervals;
	unsigned nr_written; /* intervals */
	uint32_t event;	     /* the one that folded and svg show */
	const char *format;  /* of -f and the like */
	bool progress_shown, lost;
};

/* -EINVAL, or -ENOMEM. */
int counting_run__usage(struct counting_run *r, const char *text) must_check;

/*
 * Checks the options: length, formats, targets. *nr_words: how many words there are, without a
 * length at their end; the first @least of them are never taken for one. 0 or -errno with r->why.
 */
int counting_run__begin(struct counting_run *r, const struct cmd_words *words, size_t least,
			size_t *nr_words) must_check;

/*
 * Opens the files, and prepares the command behind "--". @events: names that --event may choose
 * from. 0 or -errno with r->why.
 */
int counting_run__outputs(struct counting_run *r, const struct cmd_words *words,
			  const struct profile_event *events, size_t nr, unsigned by) must_check;

/* Says for how long, in words: "until Ctrl-C". */
void counting_run__length(const struct counting_run *r, char text[64]);

/* How many lines a table has: --top, else --rows. */
unsigned counting_run__rows(const struct counting_run *r);

/* From the collector's start to its end. 0 or -errno with r->why. */
int counting_run__measure(struct counting_run *r) must_check;

/* Writes the results; after intervals, their end. Returns the command's exit status. */
int counting_run__report(struct counting_run *r);
void counting_run__free(struct counting_run *r);

/* Frees what parsing has put there. */
void counting_opts__free(struct counting_opts *o);

#endif
