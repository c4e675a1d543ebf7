/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/chosen_samples.h - which samples of files are wanted: the options that all commands that read
 * files have for it, and a file -> a profile of those samples.
 */
#ifndef PMUTRACE_CMD_CHOSEN_SAMPLES_H
#define PMUTRACE_CMD_CHOSEN_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "model/selection.h"

struct buf;
struct profile;
struct source;

/* A member of a command's options. */
struct chosen_samples_opts {
	struct selection_opts selection;
	uint64_t from_ns, to_ns, max_memory;
	bool no_comm;
};

/* How files are read. */
struct chosen_samples_way {
	bool places; /* where code is: report_files_opts */
	bool quiet;  /* nothing is told of how far it is */
};

/* Rows of a command's table of options; @type: the struct of them, @member: that member. */
/* clang-format off */
#define CHOSEN_SAMPLES_OPTIONS(type, member) \
	{ OPT_HEAD, .help = "What is in the files" }, \
	{ OPT_BOOL, 0, "no-comm", NULL, offsetof(type, member.no_comm), \
	  "folded stacks begin with a function, not a command" }, \
	{ OPT_COUNT, 0, "max-memory", "SIZE", offsetof(type, member.max_memory), \
	  "for the result: what is new beyond is lost (1G)" }, \
	{ OPT_HEAD, .help = "Which samples (all)" }, \
	{ OPT_STR, 0, "comm", "GLOB", offsetof(type, member.selection.comm), \
	  "of commands named so: 'nginx*'" }, \
	{ OPT_STR, 'p', "pid", "LIST", offsetof(type, member.selection.pids), \
	  "of processes: 12,100-199" }, \
	{ OPT_STR, 't', "tid", "LIST", offsetof(type, member.selection.tids), "of threads" }, \
	{ OPT_STR, 'G', "cgroup", "PATTERN", offsetof(type, member.selection.cgroup), \
	  "of cgroups whose path matches, and those below: 'system.slice/*'" }, \
	{ OPT_STR, 0, "focus", "REGEX", offsetof(type, member.selection.focus), \
	  "with a function that matches" }, \
	{ OPT_STR, 0, "ignore", "REGEX", offsetof(type, member.selection.ignore), \
	  "without a function that matches" }, \
	{ OPT_TIME, 0, "from", "TIME", offsetof(type, member.from_ns), \
	  "of captures with windows: 1.5s, 200ms" }, \
	{ OPT_TIME, 0, "to", "TIME", offsetof(type, member.to_ns), \
	  "since the begin of each file, both" }
/* clang-format on */

/* Checks the options; the selection is for selection__close(). 0; -EINVAL with @why; -ENOMEM. */
int chosen_samples__open(struct selection **selection, const struct chosen_samples_opts *o,
			 struct buf *why) must_check;

/* Adds what @s has in the range of time to @p: report_files__read(). */
int chosen_samples__read(struct profile *p, struct source *s, const struct chosen_samples_opts *o,
			 const struct chosen_samples_way *way, bool *lost,
			 struct buf *why) must_check;

/*
 * *some: those of @all that are selected, which is told; NULL if that is all of them. @name: of the
 * file, for notices; NULL: there is no need to tell. 0; -EPROTO with @why: the files do not tell
 * what is asked for; -ENOMEM.
 */
int chosen_samples__select(struct profile **some, struct selection *selection,
			   const struct profile *all, const char *name, struct buf *why) must_check;

#endif
