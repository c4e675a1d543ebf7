/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/outputs.h - where a command's results go: -o FILE (several times), -f FORMAT.
 *
 * Files are found and checked before anything is measured, so that a run is not lost to a typing
 * error; what is done about links, pipes and full disks is in base/sink.h. What cannot be written
 * to its own place is kept elsewhere, and that is told (base/rescue.h).
 */
#ifndef PMUTRACE_CMD_OUTPUTS_H
#define PMUTRACE_CMD_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/opt.h"

enum format {
	FORMAT_TABLE,
	FORMAT_FOLDED,
	FORMAT_SVG,
	FORMAT_JSON,
	FORMAT_CSV,
	FORMAT_JSONL,
	FORMAT_SPEEDSCOPE,
	FORMAT_FIREFOX,
	FORMAT_CHROME,
	FORMAT_PPROF,
	FORMAT_HTML,
	FORMAT_PMUT, /* tape/capture.h */
	FORMAT_NR,
};

struct sink;
struct rescue;

struct output {
	const char *path; /* NULL: stdout, or stderr */
	bool is_stderr;
	struct sink *sink;
	bool has_failed;       /* parts go to the rescue from here on */
	struct rescue *rescue; /* NULL: there was no need */
	enum format format;
};

/* Writes it as @format. 0 or -errno. */
typedef int (*output_fn)(void *arg, FILE *f, enum format format);

struct outputs {
	struct output *items;
	size_t nr, cap;
	/* To be set beforehand, if the defaults are not right. */
	FILE *otherwise;  /* where results go without -o; NULL: stdout */
	unsigned formats; /* bit 1 << FORMAT_x of those that the command has; 0: all */
	bool no_captures; /* of all formats but that */
	bool in_parts;	  /* results come in parts: each is to be seen at once */
};

/* The format that the ending of a path tells, whatever is asked for; FORMAT_NR: none. */
enum format format__of(const char *path);
/* ".svg"; the first of several. */
const char *format__ending(enum format format);
/* What tells the format, or else stands behind the last dot of a file's name, with the dot; NULL:
 * it has none. */
const char *path__ending(const char *path);

/* "svg"; of -f. NULL: there is no such format. */
const char *format__name(enum format format);

enum format_trait {
	FORMAT_OF_STACKS = 1,	 /* there has to be a stack, or at least a command */
	FORMAT_OF_ONE_EVENT = 2, /* of several one is chosen (--event) */
	FORMAT_OF_WHOLE_RUN = 4, /* an interval behind another would be no file of it any more */
	FORMAT_OF_PLACES = 8,	 /* it tells where code is: model/code_place.h */
	FORMAT_OF_BYTES = 16,	 /* not for a terminal */
	FORMAT_OF_WINDOWS = 32,	 /* has what windows of time found, each for itself */
	FORMAT_OF_WEIGHTS = 64,	 /* tells what samples stand for, if that is known of all */
};

bool format__is(enum format format, enum format_trait trait);

/* Has any of them the trait? */
bool outputs__any(const struct outputs *o, enum format_trait trait);

/* "svg" -> FORMAT_SVG; -EINVAL and @why if it is none. */
int format__parse(const char *name, enum format *out, struct buf *why) must_check;

/* An option that tells a format: "--json", "json". NULL: it was not given. */
struct format_wish {
	const char *option, *format;
};

/*
 * *format: what the options agree on; NULL: nothing was given. 0; -EINVAL, and @why names two that
 * do not agree.
 */
int format__agree(const struct format_wish *wishes, size_t nr, const char **format,
		  struct buf *why) must_check;

/**
 * outputs__open() - decide on and open everything that is to be written
 * @files:  of -o; "-" is stdout; none means stdout
 * @format: of -f, for what the file's ending does not tell; NULL: table
 *
 * 0; -EINVAL or another -errno with @why.
 */
int outputs__open(struct outputs *o, const struct opt_strs *files, const char *format,
		  struct buf *why) must_check;

/* Writes each with @write. The number of those that failed; told on stderr. */
int outputs__write(struct outputs *o, output_fn write, void *arg);

/*
 * For results in parts: writes one to each and flushes it. What does not arrive, and all behind it,
 * goes elsewhere, which is told on stderr. 0; -EPIPE: nobody reads any more; or, if that was in
 * vain too, -errno with @why.
 */
int outputs__part(struct outputs *o, output_fn write, void *arg, struct buf *why) must_check;

/* Then the end. The number of those that failed; told on stderr. */
int outputs__end(struct outputs *o) must_check;

/* Removes what was not written to its end. */
void outputs__close(struct outputs *o);

#endif
