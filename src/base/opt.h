/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/opt.h - typed option tables: the only place where an option exists.
 *
 * A table says where each option's value goes in the command's own struct; parsing, --help,
 * shell completion and the check of the man page all read it. Values are strict: "12abc" is
 * no number. Short options cluster (-KU), long ones take =VALUE or the next word; "--" ends.
 */
#ifndef PMUTRACE_BASE_OPT_H
#define PMUTRACE_BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"
#include "base/buf.h"

enum opt_type {
	OPT_END,
	OPT_BOOL,  /* bool */
	OPT_U32,   /* uint32_t, 1..UINT32_MAX */
	OPT_MOST,  /* the same, or "all": UINT32_MAX */
	OPT_COUNT, /* uint64_t, 1..; "100k" */
	OPT_TIME,  /* uint64_t ns; a bare number is seconds */
	OPT_MSEC,  /* the same, 1 ms or more; a bare number is milliseconds */
	OPT_STR,   /* const char *, borrowed from argv */
	OPT_STRS,  /* struct opt_strs: may be given several times */
	OPT_HEAD,  /* no option: a headline in --help */
};

struct opt_strs {
	const char **items; /* free() the array; strings are borrowed from argv */
	size_t nr, cap;
};

struct opt {
	enum opt_type type;
	char letter;	   /* 0: none */
	const char *name;  /* without dashes; NULL: none */
	const char *value; /* placeholder of the value in --help */
	size_t offset;	   /* of the member */
	const char *help;
};

/**
 * opt__parse() - read a command line into a struct
 * @table: ends with OPT_END
 * @into:  the struct, already holding the defaults
 * @first: index of the first word that is no option, or argc
 * @why:   on error, a sentence that names the option and what is wrong with it
 *
 * Options and other words may be mixed; other words are moved behind the options. Words
 * behind "--" stay as they are; *dashes is the index of the first of them, or 0.
 *
 * Return: 0; -EINVAL: usage, see @why; -ENOMEM.
 */
int opt__parse(const struct opt *table, void *into, int argc, char **argv, int *first, int *dashes,
	       struct buf *why) must_check;

/*
 * As if the option @name stood on a command line, once for each value; of a flag (OPT_BOOL) the
 * value is true or false, of OPT_STR there may be one. Strings are borrowed. 0; -EINVAL and @why,
 * which names it without dashes; -ENOMEM.
 */
int opt__put(const struct opt *table, void *into, const char *name, const char *const *values,
	     size_t nr, struct buf *why) must_check;

/* Whether the option @name has another value than in @defaults. */
bool opt__is_given(const struct opt *table, const char *name, const void *opts,
		   const void *defaults);

/* The options of --help, aligned. */
void opt__help(const struct opt *table, FILE *f);

#endif
