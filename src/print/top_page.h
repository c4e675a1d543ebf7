/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/top_page.h - an interval of a live view, for those who print it: top_table.h, top_json.h,
 * top_csv.h.
 */
#ifndef PMUTRACE_PRINT_TOP_PAGE_H
#define PMUTRACE_PRINT_TOP_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "columns/columns.h"
#include "model/counts.h"
#include "model/live.h"
#include "model/processes.h"

/* All borrowed. */
struct top_page {
	const struct live *live;
	const struct columns *columns;
	const struct live_rows *rows; /* as they are sorted */
	enum live_by by;
	size_t max_rows;		   /* more are not printed */
	const struct processes *processes; /* names; NULL: none are known */
	bool full;			   /* commands with their arguments */
};

/* What tells a row from the others, as JSON and CSV have it. */
struct top_key_part {
	const char *name; /* "pid" */
	const char *text; /* NULL: a number, or if that is not one either, not known */
	uint64_t number;
	bool is_number;
};

enum { TOP_KEY_PARTS = 3 };

/* @row: NULL: only the names. Returns how many there are. */
size_t top_page__key(const struct top_page *p, const struct live_row *row,
		     struct top_key_part parts[TOP_KEY_PARTS]);

/* Rows that are printed. */
size_t top_page__nr_rows(const struct top_page *p);

/* "process", "thread", "cgroup", "cpu". */
const char *live_by__name(enum live_by by);

/* The count of an event in the interval, over all CPUs, idle tasks included. */
struct event_count top_page__total(const struct top_page *p, size_t event);

/* The part of its raw count that was counted while idle tasks ran. */
uint64_t top_page__idle(const struct top_page *p, size_t event);

/* The name of a row's cgroup; what is known of its process; NULL: not known. */
const char *top_page__cgroup(const struct top_page *p, uint64_t id);
const struct process *top_page__process(const struct top_page *p, const struct live_row *row);

/* The name of a row for people: command, comm or cgroup. Of a CPU: ""; NULL: not known. */
const char *top_page__name(const struct top_page *p, const struct live_row *row);

#endif
