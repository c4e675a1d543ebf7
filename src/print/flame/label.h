/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/flame/label.h - the name of a function, in as many columns as its box has.
 *
 * A name that is too wide loses what tells least first. The first of these that fits is shown:
 *
 *	ns::Class<std::vector<int>>::method(int, char const*) const	whole
 *	ns::Class<..>::method(..)					brief
 *	Class::method							tail
 *	Class::me…							the tail's head
 *
 * Brief: arguments of templates and parameters, with the qualifiers behind them, become "..".
 * Tail: the last two parts between "::" without these, without a type in front that is returned,
 * the hash of Rust's older names and (anonymous namespace); of Go without the path of the package.
 *
 * Not arguments but names are: what stands behind operator (<, (), a type that is converted to);
 * lambdas and closures; of Rust <T as Trait> and <impl Trait for T>, in which paths become their
 * last parts in the tail; of Go the (*T) of methods. A name whose brackets do not match is only
 * cut.
 *
 * flame/label.js does the same after a zoom; both are tested by tests/unit/print/labels.tsv.
 */
#ifndef PMUTRACE_PRINT_FLAME_LABEL_H
#define PMUTRACE_PRINT_FLAME_LABEL_H

#include <stdbool.h>
#include <stddef.h>

enum {
	LABEL_BYTES = 1024, /* longer names are only cut */
};

struct label {
	const char *s; /* points into the name, or into bytes */
	size_t len;
	bool is_cut; /* "…" follows */
	char bytes[LABEL_BYTES];
};

/* What is shown of @name (valid UTF-8, borrowed) in @columns, "…" included. */
void label__fit(struct label *l, const char *name, size_t len, size_t columns);

#endif
