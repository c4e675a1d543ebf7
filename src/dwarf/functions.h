/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/functions.h - the functions of a unit by address, and the calls inlined into each.
 */
#ifndef PMUTRACE_DWARF_FUNCTIONS_H
#define PMUTRACE_DWARF_FUNCTIONS_H

#include <stdbool.h>

#include "dwarf/cover.h"

struct info_file;
struct text;
struct unit;
struct work;

/* A call that was inlined. */
struct inlined_call {
	uint64_t function; /* offset of the entry that names it */
	uint32_t call_file, call_line;
	uint32_t parent; /* the call that it is inlined into, or COVER_NONE: the function itself */
	bool in_alt;	 /* its name is in the alternate file */
};

struct inlined_calls {
	struct inlined_call *all; /* an outer one before those in it */
	size_t nr;
	struct cover cover; /* the innermost of an address */
};

/* Memory for what is found of one function, or of one unit: it serves the next one, too. */
struct functions_scratch {
	struct cover_ranges ranges;
	struct inlined_call *calls;
	size_t nr_calls, cap_calls;
};

struct dwarf_function {
	uint64_t at;		     /* offset of its entry */
	struct inlined_calls *calls; /* NULL: not looked at */
	bool broken;		     /* they cannot be read */
};

/* Zero-initialise it. */
struct unit_functions {
	struct dwarf_function *all;
	size_t nr, cap;
	struct cover cover;
	bool shallow; /* is there: all but functions in functions, and in types */
	bool deep;    /* is there: all */
};

/**
 * unit_functions__find() - the function that an address is in
 *
 * Entries are passed over by their siblings as long as the address is found so.
 * Return: 0; -ENOENT; -EINVAL: damaged; -E2BIG: too much work; -ENOMEM. *bytes grows by the memory
 * that is taken.
 */
int unit_functions__find(struct info_file *f, struct unit *u, const struct text *text,
			 uint64_t addr, struct work *work, size_t *bytes,
			 struct dwarf_function **out) must_check;

/* Makes fn->calls. Errors as above. */
int unit_function__read_calls(struct info_file *f, struct unit *u, const struct text *text,
			      struct dwarf_function *fn, struct work *work,
			      size_t *bytes) must_check;

void unit_functions__free(struct unit_functions *f);
void functions_scratch__free(struct functions_scratch *s);

#endif
