/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/key_part.h - the parts of a profile's keys that are one text each, in the order they are
 * shown: comm, pid, tid, cpu, cgroup, caller, then the fields.
 *
 * Stacks are no such part (print/rows.h), nor is the bucket of a histogram.
 */
#ifndef PMUTRACE_PRINT_KEY_PART_H
#define PMUTRACE_PRINT_KEY_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/profile.h"

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
