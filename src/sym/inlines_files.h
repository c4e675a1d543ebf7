/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/inlines_files.h - open the files that debug information is spread over, in this process.
 *
 * Below the process's root first, then below our own:
 *	debug file	as elf/debugfile.h finds it
 *	alternate file	by its build-id; by its name, relative to the file or to its debug file's
 *			directory
 *	.dwo		by its name, where it was compiled, and beside the file
 *	.dwp		the file's path and ".dwp"
 */
#ifndef PMUTRACE_SYM_INLINES_FILES_H
#define PMUTRACE_SYM_INLINES_FILES_H

#include "sym/inlines.h"

struct inlines_files {
	const char *root; /* prefix of the file system that the file is in; "" for ours */
	const char *path; /* of the file, from there; absolute, or nothing beside it is found */
	struct allowance *run; /* for strangers' files; or NULL */
};

/* inlines_opts.open; @files: a struct inlines_files. */
int inlines_files__open(void *files, const struct inlines_wanted *wanted) must_check;

#endif
