/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import/perf_script.h - what `perf script` prints -> model/profile.h.
 *
 * A sample is a line that tells whose it is, and a line for each frame, the innermost first
 * (import/perf_text.h). Each event that is named there is one of the profile; thread, process and
 * CPU are in its keys if the text has them: perf's own choice of columns (`-F`) has the thread
 * alone, and a number that is alone is taken for it. A sample counts once, and weighs its period.
 *
 * Frames are named as in profiles of our own, but for addresses, which are not there to stay:
 * "[libfoo.so]" is what has no name in libfoo.so. Such texts do not tell what was lost when they
 * were made: losses are untold.
 */
#ifndef PMUTRACE_IMPORT_PERF_SCRIPT_H
#define PMUTRACE_IMPORT_PERF_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct profile;
struct source;

struct perf_script_opts {
	uint64_t max_bytes; /* profile__bytes(): what is new beyond is lost */
};

/* What is to be told of a file. */
struct perf_script_found {
	uint64_t nr_samples;
	uint64_t nr_bad, first_bad; /* lines that are of none, and which one is the first, from 1 */
};

/* Does a file that begins so have samples? @text may end anywhere. */
bool perf_script__is_it(const char *text, size_t len);

/*
 * Adds the samples of @s to @p: a new profile, or one that has those of other files. What has no
 * room is a loss, what is too deep a flaw. 0, or -errno of source__line() but for -EMSGSIZE; what
 * was read before is in @p and *found in any case.
 */
int import__perf_script(struct profile *p, struct source *s, const struct perf_script_opts *o,
			struct perf_script_found *found) must_check;

#endif
