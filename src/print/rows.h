/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/rows.h - a profile's rows as they are shown: in lines.
 *
 * The profile has a row for each event and key. A table has a line for each key, with a column for
 * each event. Where more than samples is told of a row (metrics, a histogram) events are not added
 * up: then a line is of one event and key, and its rows are the buckets of the histogram. Lines
 * with most samples come first. Rows without samples are left out.
 */
#ifndef PMUTRACE_PRINT_ROWS_H
#define PMUTRACE_PRINT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/profile.h"
#include "print/measure.h"

struct line {
	uint32_t first; /* index into rows.order */
	uint32_t nr;	/* rows of this line, ordered by event or by bucket, neither twice */
	uint64_t samples;
	uint64_t sum; /* of the metric of rows__sort() */
};

struct rows {
	uint32_t *order; /* indexes of the profile's rows */
	struct line *lines;
	size_t nr; /* lines */
};

/* Whether a line has to be of one event. */
bool rows__are_by_event(const struct profile *p);

/* Initialises @r; rows__free() it in any case. 0 or -ENOMEM. */
int rows__group(struct rows *r, const struct profile *p, bool by_event) must_check;

/* Instead of by samples, lines by the sum of a metric, which is not signed. */
void rows__sort(struct rows *r, const struct profile *p, size_t metric);
void rows__free(struct rows *r);

/* The @i-th row of a line. */
const struct row *rows__row(const struct rows *r, const struct profile *p, const struct line *l,
			    size_t i);

/* A metric over a line of one event. */
struct measured rows__measured(const struct rows *r, const struct profile *p, const struct line *l,
			       size_t metric);

/* Which field is the number of a bucket; -1: none. */
int rows__bucket_field(const struct profile *p);

/* Needs such a field. */
int64_t row__bucket(const struct profile *p, const struct row *row);

/* The stack's frame ids, outermost first, without the command; *comm is the command's name. */
struct row_stack {
	uint32_t *frames;
	size_t nr, cap;
	const char *comm; /* borrowed from the profile, "" if the stack is empty */
};

int row_stack__get(struct row_stack *s, const struct profile *p, uint32_t node) must_check;
void row_stack__free(struct row_stack *s);

/*
 * The parts of a key that are one text each, in the order they are shown: comm, pid, tid, cpu,
 * cgroup, caller, then the fields. Stacks are no such part, nor is the bucket of a histogram.
 */
enum { KEY_PART_DIGITS = 24 };

struct key_part {
	const char *name; /* "pid"; the field's own; borrowed from the profile */
	unsigned by;	  /* enum by, 0: a field */
	size_t field;	  /* index into the profile's */
	bool is_number;
};

/* *out: the parts that the run kept, which the caller frees. 0 or -ENOMEM. */
int key_parts__new(struct key_part **out, size_t *nr, const struct profile *p) must_check;

/* Borrowed from the profile, or written to @digits. May have any character but NUL. */
const char *key_part__text(const struct key_part *part, const struct profile *p,
			   const struct row_key *key, char digits[KEY_PART_DIGITS]);

/* The innermost frame of a stack, or "-". */
const char *key_part__caller(const struct profile *p, uint32_t node);

/* A field's number as its kind has it. */
void field__digits(enum field_kind kind, uint64_t word, char digits[KEY_PART_DIGITS]);

#endif
