/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * columns/formula.h - "1000 * cache-misses / instructions", parsed once and computed often.
 *
 *	sum     = product { ("+" | "-") product }
 *	product = factor { ("*" | "/") factor }
 *	factor  = { "-" } (number | name | "(" sum ")")
 *	number  = digits [ "." digits ] [ "e" [ "+" | "-" ] digits ]	1000, 0.5, 1e6
 *	name    = a letter or "_", then letters, digits and _ . : @; "-" where one of these follows
 *	        | "'" anything else but a quote "'"
 *
 * So cache-misses and sched:sched_switch are names, `a - b` and `a -b` are differences, and a name
 * with slashes or commas stands in quotes: 'cpu/event=0x3c/'. Numbers have at most 15 digits and
 * exponents of at most 22: they are exactly what the nearest double is.
 *
 * Knows: the grammar, and arithmetic. Does not know: what names mean.
 */
#ifndef PMUTRACE_COLUMNS_FORMULA_H
#define PMUTRACE_COLUMNS_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

enum {
	FORMULA_NAME = 256,  /* bytes of a name, with a NUL */
	FORMULA_DEPTH = 32,  /* parentheses in parentheses */
	FORMULA_HEIGHT = 64, /* operands on the stack */
	FORMULA_OPS = 256,
};

enum formula_type {
	FORMULA_NUMBER,
	FORMULA_VALUE, /* of a name */
	FORMULA_ADD,
	FORMULA_SUBTRACT,
	FORMULA_MULTIPLY,
	FORMULA_DIVIDE,
	FORMULA_NEGATE,
};

struct formula_op {
	enum formula_type type;
	uint32_t value; /* which one: the caller's number */
	double number;
};

/* In postfix order. Zero-initialise it; formula__free() gives the memory back. */
struct formula {
	struct formula_op *ops;
	size_t nr, cap;
	size_t height; /* after the last one */
};

/* Who knows what names mean. */
struct formula_names {
	/*
	 * Puts what the name stands for: formula__put_value(), or formula__parse() for something
	 * that is a formula itself. 0; -EINVAL with a sentence in @why; -ENOMEM.
	 */
	int (*put)(void *arg, struct formula *f, const char *name, bool quoted, struct buf *why);
	void *arg;
};

/**
 * formula__parse() - append what a text computes
 * @why: on -EINVAL a sentence that says where
 *
 * Return: 0; -EINVAL: it is no formula, or too long; -ENOMEM.
 */
int formula__parse(struct formula *f, const char *text, const struct formula_names *names,
		   struct buf *why) must_check;

/* 0; -EINVAL with @why: there is no room for it; -ENOMEM. */
int formula__put_value(struct formula *f, uint32_t value, struct buf *why) must_check;

/* What @value gives is put in for the names. Divided by 0, or no number there is: NAN. */
double formula__compute(const struct formula *f, double (*value)(void *arg, uint32_t which),
			void *arg);

void formula__free(struct formula *f);

/* How long the plain name at the beginning of @s is; 0: there is none. */
size_t formula__name(const char *s);

#endif
