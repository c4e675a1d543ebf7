/* SPDX-License-Identifier: BSD-2-Clause */
/* print/stat.h - what the outputs of a counting run share: lines, keys, names, numbers. */
#ifndef PMUTRACE_PRINT_STAT_H
#define PMUTRACE_PRINT_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct event_count;
struct counts;
struct counts_key;

/* What is shown: the rows (of --per-cpu, ..), or without them one line, the totals. */
size_t stat__nr_lines(const struct counts *c);
const struct event_count *stat__values(const struct counts *c, size_t line);

/* The key of a line; one that is all 0 for the totals. */
const struct counts_key *stat__key(const struct counts *c, size_t line);

enum { STAT_KEY_PARTS = 3 };

/* A column of the key in CSV, a member of "key" in JSON. */
struct stat_key_part {
	const char *name;
	const char *text; /* NULL: a number */
	uint32_t number;
};

/* Returns how many parts the rows' keys have. */
size_t stat__key_parts(const struct counts *c, const struct counts_key *key,
		       struct stat_key_part parts[STAT_KEY_PARTS]);

/*
 * A name for each event that no other has, for machines to look up: an event that was asked for
 * twice is "cycles" and "cycles#2". Replaces what is in @b. 0 or -ENOMEM.
 */
int stat__unique_name(const struct counts *c, size_t event, struct buf *b) must_check;

/* task-clock and cpu-clock, which are shown in milliseconds. */
bool stat__is_msec(const struct counts *c, size_t event);
const char *stat__unit(const struct counts *c, size_t event);

/*
 * Appends the value for people, in stat__unit(), as perf stat writes it: with decimals only for
 * milliseconds and where the scale is a fraction. Without a value: "<not counted>" and the like.
 * @grouped: 1,234,567.
 */
int stat__put_value(struct buf *b, const struct counts *c, const struct event_count *values,
		    size_t event, bool grouped) must_check;

/* Standard error of the mean in percent of it, what perf stat prints behind "+-"; 0 of mean 0. */
struct counts_runs;
double stat__noise(const struct counts_runs *r);

#endif
