/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/diff.h - what differs between two sides, for people and for programs: print/diff_table.c,
 * print/diff_json.c, print/diff_csv.c, print/diff_folded.c; graphs, print/diff_html.c and
 * print/diff_svg.c, of print/diff_sides.h; the sentences of a limit: print/diff_limit.c; words:
 * print/diff_words.c.
 *
 * JSON is one object:
 *
 *	{ "schema": 1, "command": "diff", "version": "0.1.0", "duration_ns": 20000000000,
 *	  "of": "self", "rates": "share", "unit": "windows", "confidence": 0.99, "tested": 40,
 *	  "sure": true,
 *	  "sides": [ { "side": "a", "files": ["a.pmut"], "units": 60, "duration_ns": 10000000000,
 *	               "events": [ .. ], "seen": 1000, "kept": 998, "losses": { }, .. }, .. ],
 *	  "rows": [ { "key": { "function": "parse", "module": "prog" },
 *	              "samples": { "a": 100, "b": 150 }, "values": { "a": 0.1, "b": 0.15 },
 *	              "change": 0.05, "low": 0.03, "high": 0.07, "verdict": "changed" } ],
 *	  "limit": { "above": 0.05, "function": "parse", "verdict": "cannot-tell", .. } }
 *
 * of       "self" or "total"
 * rates    "share": values are parts of 1; "per-second"; "per-run": of files that tell no time.
 *          Those that are no shares are in the event's unit where "weights" is true
 * unit     what variances are from: "runs", "windows", "threads", "samples"
 * sure     false: they are not good enough for a verdict "changed", of all functions ("samples")
 *          or of some
 * low..high  the interval of the change; of all functions that were tested together none is wrong
 *          with the confidence told. null: there are too few samples
 * verdict  "changed", "unsure", "cannot-tell", "too-few"
 * limit    of --fail-above: verdict "above", "held", "cannot-tell"; absent without.
 *          functions_above, functions_undecided: how many; "of": the function that decides;
 *          "visible": the least change that would be seen, 1 is 100 %; "times": how many times as
 *          long to measure to see the limit; "text": the sentence that the table has
 */
#ifndef PMUTRACE_PRINT_DIFF_H
#define PMUTRACE_PRINT_DIFF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"
#include "model/difference.h"
#include "model/difference_limit.h"

struct diff_side {
	const char *const *files; /* names */
	size_t nr_files;
	const struct profile *p; /* all of it; what was lost */
	uint32_t event;		 /* index */
};

struct diff_page {
	struct difference *d; /* compared */
	/* The same, of functions with what they call: for graphs. NULL: it is not wanted. */
	struct difference *totals;
	struct diff_side sides[2];
	const struct difference_limit *limit; /* NULL: there is none */
	const struct difference_limit_opts *limit_opts;
	unsigned rows;	/* of the table; 0: 20 */
	unsigned width; /* of the terminal; 0: not one */
	bool color;
};

/* 0; -ENOMEM; or of writing. */
int print__diff_table(FILE *f, const struct diff_page *page) must_check;
int print__diff_json(FILE *f, const struct diff_page *page) must_check;
int print__diff_csv(FILE *f, const struct diff_page *page) must_check;

/*
 * A line for each stack, as difffolded.pl of FlameGraph writes it: "STACK SAMPLES-OF-A
 * SAMPLES-OF-B". Shares: those of A are scaled to what B has in all, to the nearest whole number.
 */
int print__diff_folded(FILE *f, const struct diff_page *page) must_check;

/*
 * Both sides as one page (print/flame/html.h): boxes are as wide as their shares on the mean, and
 * have a colour where the share of a function, with what it calls, has changed for sure.
 */
int print__diff_html(FILE *f, const struct diff_page *page) must_check;

/* The same as an embedded graph (print/flame/sides.h), by shares or, absolute, by numbers. */
int print__diff_svg(FILE *f, const struct diff_page *page) must_check;

/* "windows": what variances are from. */
const char *diff__unit_name(enum tally_unit unit);

/* The worse of what both sides are divided into. */
enum tally_unit diff__unit(const struct difference *d);

/* "changed" */
const char *diff__verdict_name(enum verdict verdict);

/* Half an interval of a row; NaN: there is none. */
double diff__half(const struct difference *d, const struct difference_row *row);

/*
 * The sentence about a limit: whether it is exceeded, held, or what it would take to know. 0 or
 * -ENOMEM.
 */
int print__diff_limit(struct buf *b, const struct diff_page *page) must_check;

#endif
