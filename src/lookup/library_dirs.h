/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup/library_dirs.h - the directories in which ld.so finds libraries.
 *
 * Those of /etc/ld.so.conf, then the usual ones; ld.so's own cache is of the same. Source:
 * ldconfig(8), ld.so(8).
 */
#ifndef PMUTRACE_LOOKUP_LIBRARY_DIRS_H
#define PMUTRACE_LOOKUP_LIBRARY_DIRS_H

#include "base/array.h"

typedef int library_dirs_fn(const char *dir, void *arg);

/*
 * Calls @fn for each, without @root ("" for ours) in front, until it returns other than 0; which
 * is then returned. A directory need not exist, and may come twice. 0 or -ENOMEM else.
 */
int library_dirs__each(const char *root, library_dirs_fn *fn, void *arg) must_check;

#endif
