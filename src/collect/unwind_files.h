/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/unwind_files.h - which files have an unwind table, and the jobs that build one.
 *
 * A file is known by its number: of the namer, + 1; the first one is the vdso. Its table is built
 * when a process is first seen to map it, on a thread of its own (collect/table_job.h), and put
 * where programs find it. One for which there is no room is built again when there is some.
 */
#ifndef PMUTRACE_COLLECT_UNWIND_FILES_H
#define PMUTRACE_COLLECT_UNWIND_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/worker.h"
#include "collect/unwind_tables.h"
#include "collect/verifier.h"
#include "jail/jail.h"
#include "object/unwind_maps.h"
#include "sym/namer.h"
#include "sym/space.h"

struct unwind_file_state;

/* What is said of a file is not true any more: it has got a table, or none, or may get one. */
typedef void (*unwind_files_changed_fn)(void *arg, uint32_t file);

/* The first five are the caller's; the others may be read, and change here alone. */
struct unwind_files {
	struct unwind_maps *maps;
	struct namer *namer;
	struct verifier *verifier; /* NULL: there is none */
	unwind_files_changed_fn changed;
	void *arg;

	struct worker *builder;
	struct unwind_tables tables;
	struct unwind_file_state *all;
	size_t nr, cap;
	size_t nr_asked;	     /* whose table is awaited */
	size_t nr_full;		     /* without room, of which ... */
	uint64_t full_left, full_ns; /* ... since then no more room has been looked for */
	uint64_t nr_refused;	     /* for whose table there was no room, at least once */
};

/* @with: the first five. All is borrowed until the end; call it in any case. 0 or -errno. */
int unwind_files__init(struct unwind_files *fs, const struct unwind_files *with,
		       struct jail *jail) must_check;
void unwind_files__end(struct unwind_files *fs);

/* Takes tables that have been built, and looks for room. 0 or -ENOMEM. */
int unwind_files__poll(struct unwind_files *fs, uint64_t now_ns) must_check;

/* Is it a mapping of a file, or of the vdso? */
bool unwind_files__is_of_file(const struct mapping *m);

/*
 * A mapping as programs see it. Its file is asked for if it is new: *complete becomes false as long
 * as its table is awaited, and stays as it is otherwise. 0 or -errno.
 */
int unwind_files__mapping(struct unwind_files *fs, const struct mapping *m,
			  struct unwind_mapping *out, bool *complete) must_check;

/*
 * A process has a mapping of the file that unwind_files__mapping() has been asked about; its
 * number. Until it is left a table of it does not give way.
 */
uint32_t unwind_files__use(struct unwind_files *fs, const struct mapping *m);
void unwind_files__leave(struct unwind_files *fs, uint32_t file);

#endif
