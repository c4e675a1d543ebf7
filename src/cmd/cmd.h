/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/cmd.h - what a command is: one file, one const struct.
 */
#ifndef PMUTRACE_CMD_CMD_H
#define PMUTRACE_CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/opt.h"

/* Exit statuses, part of the interface (pmutrace(1)). */
enum pmutrace_exit {
	PMUTRACE_OK = 0,     /* measured */
	PMUTRACE_FAIL = 1,   /* could not measure */
	PMUTRACE_USAGE = 2,  /* the words were wrong */
	PMUTRACE_STRICT = 3, /* --strict, and something was lost */
	PMUTRACE_ABOVE = 4,  /* diff --fail-above, and a function is */
};

struct cmd;
struct jail;
struct lookup_reader;

/* The words of a command line that are no options. */
struct cmd_words {
	int nr;
	char **word;
	char **command;		       /* behind "--", NULL-terminated; NULL without */
	const struct cmd *const *cmds; /* all there are, NULL-terminated: for help */
	struct jail *jail; /* of a command with names_code; NULL: there is none. Borrowed */
	struct lookup_reader *lookups; /* in that jail; borrowed */
};

struct cmd {
	const char *name;
	const char *args; /* behind the options in the usage line */
	const char *summary;
	const char *examples; /* for --help, or NULL */
	const struct opt *opts;
	const void *defaults;
	size_t opts_size;
	bool names_code; /* it reads strangers' files, for names, stacks, probes: it gets a jail */
	/* Returns an exit status: enum pmutrace_exit, or the status of a command that was run. */
	int (*run)(void *opts, const struct cmd_words *words);
};

extern const struct cmd cmd_profile;
extern const struct cmd cmd_count;
extern const struct cmd cmd_func;
extern const struct cmd cmd_top;
extern const struct cmd cmd_stat;
extern const struct cmd cmd_report;
extern const struct cmd cmd_diff;
extern const struct cmd cmd_export;
extern const struct cmd cmd_list;
extern const struct cmd cmd_doctor;
extern const struct cmd cmd_help;
extern const struct cmd cmd_completion;

/*
 * The length of a run: --duration (@option_ns, 0: not given) or the one word there is. *duration_ns
 * is 0 without either. 0; -EINVAL and @why: two of them, or a word that is none; -ENOMEM.
 */
int cmd_words__duration(const struct cmd_words *words, uint64_t option_ns, uint64_t *duration_ns,
			struct buf *why) must_check;

/* "pmutrace: TEXT" on stderr, as base/visible.h shows a message. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints which limit of this process an errno comes from (base/limits.h), if it is one. */
void complain_limit(int err);

/*
 * Prints @why (or the errno; nothing for -EPIPE alone), and the limit that it comes from. Returns
 * PMUTRACE_FAIL, PMUTRACE_USAGE for -EINVAL.
 */
int complain_why(int err, const struct buf *why);

/*
 * A result did not get to @where: says why, and returns PMUTRACE_FAIL. -EPIPE: the reader has had
 * enough (`| head`, with SIGPIPE ignored), which is nothing to be told.
 */
int complain_unwritten(const char *where, int err);

/* Notices go to stderr from now on; verbose: all that is logged; else quiet: nothing. */
void log_to_stderr(bool quiet, bool verbose);

void print_help(const struct cmd *cmd);

#endif
