/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/selection.h - which samples of a profile are wanted: by their command, process, thread or
 * cgroup, by functions in their stacks.
 *
 * What is asked for holds for each sample together: --comm and --focus and not --ignore. Functions
 * are those of the code (a command and a note such as "[truncated]" are none), by their names as
 * they are shown.
 */
#ifndef PMUTRACE_MODEL_SELECTION_H
#define PMUTRACE_MODEL_SELECTION_H

#include <stdbool.h>

#include "base/array.h"
#include "base/buf.h"

struct profile;
struct row;
struct selection;

/* NULL: not asked for. Texts are borrowed for selection__open() alone. */
struct selection_opts {
	const char *comm;   /* a pattern of base/glob.h, of the command */
	const char *focus;  /* an extended regular expression: a function matches it */
	const char *ignore; /* none does */
	const char *pids;   /* numbers: "12,100-199" */
	const char *tids;
	const char *cgroup; /* a pattern of fnmatch(3) for its path, or for that of one above it */
};

/* 0; -EINVAL with @why: a pattern is none; -ENOMEM. */
int selection__open(struct selection **out, const struct selection_opts *o,
		    struct buf *why) must_check;
void selection__close(struct selection *s);

/* There is something asked for. */
bool selection__selects(const struct selection *s);

/* The option of which @p knows nothing, "--pid"; NULL: it knows all that is asked for. */
const char *selection__unknown(const struct selection *s, const struct profile *p);

/* Looks at all stacks of @p, before selection__wants() is asked about its rows. 0 or -ENOMEM. */
int selection__look(struct selection *s, const struct profile *p) must_check;

/* For profile__merge_some(); @arg: the selection. */
bool selection__wants(void *arg, const struct profile *p, const struct row *row);

#endif
